// The buttons that run, freeze and move the clock of the app. Each shows above it where it leads.

import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { labCall, type ReadClock } from '../../api/lab.ts';
import { sessionQuery } from '../../api/session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { monthLater } from '../../parts/wall-time.ts';
import { rateText } from './clock-text.ts';
import { useLab } from './lab-context.ts';

const rates: readonly number[] = [1, 60, 8_928, 86_400];

interface ClockButtonsProps {
  readonly clock: ReadClock;
  readonly now: number;
  readonly next: number | undefined;
}

export function ClockButtons({ clock, now, next }: ClockButtonsProps) {
  const { packageName, isBusy, start } = useLab();
  const { data } = useQuery(sessionQuery);
  const { mode, rate } = clock;
  const toggle = useCallback(
    () => start(labCall('putClock', { packageName, mode: mode === 'frozen' ? 'running' : 'frozen', rate })),
    [start, packageName, mode, rate],
  );
  // What is overdue happens at once.
  const to = next !== undefined && next > now ? next : undefined;
  const goNext = useCallback(
    () => start(labCall('advanceClock', { packageName, ...(to === undefined ? { by: 'PT0S' } : { to }) })),
    [start, packageName, to],
  );
  const goMonth = useCallback(
    () => start(labCall('advanceClock', { packageName, by: 'P1M' })),
    [start, packageName],
  );
  const goYear = useCallback(
    () => start(labCall('advanceClock', { packageName, by: 'P1Y' })),
    [start, packageName],
  );
  const shared = { size: 'xs', variant: 'default', disabled: isBusy } as const;
  return (
    <Group gap="xs" align="flex-end">
      <ActionButton
        {...shared}
        operation="putClock"
        label={mode === 'frozen' ? 'Run' : 'Freeze'}
        command={mode === 'frozen' ? 'Run the clock' : 'Freeze the clock'}
        hotkey="space"
        onAct={toggle}
      />
      <Aimed target={rateText(rate)}>
        <NativeSelect
          size="xs"
          w="6rem"
          aria-label="Rate"
          disabled={isBusy}
          value={String(rate)}
          data={(rates.includes(rate) ? rates : [...rates, rate]).map((value) => ({
            value: String(value),
            label: `x ${value}`,
          }))}
          onChange={({ currentTarget }) =>
            start(labCall('putClock', { packageName, mode, rate: Number(currentTarget.value) }))
          }
        />
      </Aimed>
      <Aimed target={next !== undefined && (to === undefined ? 'Now' : <Instant ms={to} />)}>
        <ActionButton
          {...shared}
          disabled={isBusy || next === undefined}
          operation="advanceClock"
          label="Next stop"
          command="Move the clock to the next stop"
          hotkey="."
          onAct={goNext}
        />
      </Aimed>
      <Aimed target={<Instant ms={monthLater(now, data?.session?.timeZone ?? 'UTC')} />}>
        <ActionButton
          {...shared}
          operation="advanceClock"
          label="+1 month"
          command="Move the clock a month ahead"
          hotkey="m"
          onAct={goMonth}
        />
      </Aimed>
      <ActionButton
        {...shared}
        operation="advanceClock"
        label="+1 year"
        command="Move the clock a year ahead"
        onAct={goYear}
      />
    </Group>
  );
}

/** Where a button leads, above it. */
function Aimed({ target, children }: { readonly target: ReactNode; readonly children: ReactNode }) {
  return (
    <Stack gap={0} align="flex-start">
      <Text size="xs" c="dimmed" component="div" lh={1.2} mih="1.2em">
        {target}
      </Text>
      {children}
    </Stack>
  );
}
