// The buttons that run, freeze and move the clock of the app. Each shows above it where it leads.

import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { labCall, type ReadClock } from '../../api/lab.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Instant } from '../../parts/instant.tsx';
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
  const { mode, rate } = clock;
  const advance = (by: 'P1M' | 'P1Y'): void => start(labCall('advanceClock', { packageName, by }));
  // What is overdue happens at once.
  const to = next !== undefined && next > now ? next : undefined;
  const shared = { size: 'xs', variant: 'default', disabled: isBusy } as const;
  return (
    <Group gap="xs" align="flex-end">
      <ActionButton
        {...shared}
        operation="putClock"
        label={mode === 'frozen' ? 'Run' : 'Freeze'}
        hotkey="space"
        onAct={() =>
          start(labCall('putClock', { packageName, mode: mode === 'frozen' ? 'running' : 'frozen', rate }))
        }
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
          hotkey="."
          onAct={() =>
            start(labCall('advanceClock', { packageName, ...(to === undefined ? { by: 'PT0S' } : { to }) }))
          }
        />
      </Aimed>
      <ActionButton
        {...shared}
        operation="advanceClock"
        label="+1 month"
        hotkey="m"
        onAct={() => advance('P1M')}
      />
      <ActionButton {...shared} operation="advanceClock" label="+1 year" onAct={() => advance('P1Y')} />
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
