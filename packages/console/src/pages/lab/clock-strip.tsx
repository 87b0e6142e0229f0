// The clock of the app: what it shows, the buttons that move it, and its next stops. On a narrow screen only what it shows
// stays above what scrolls.

import { Group, Paper, type PaperProps, Skeleton, Stack, Text } from '@mantine/core';
import type { AppClockWithStops } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { clockQuery, labCall, type ReadClock, upcomingQuery } from '../../api/lab.ts';
import { useTimeZone } from '../../parts/preferences.ts';
import { Problem } from '../../parts/problem.tsx';
import { State } from '../../parts/state.tsx';
import { useAppNow } from './app-now.ts';
import { ClockButtons } from './clock-buttons.tsx';
import { ClockLine } from './clock-line.tsx';
import { clockText } from './clock-text.ts';
import { useLab } from './lab-context.ts';
import { headerEnd } from './lab-sizes.ts';
import { NextStops } from './next-stops.tsx';

/** The heights of what is shown later, so that nothing moves then. */
const heights = { wide: 116, head: 66, moves: 150 } as const;

interface ClockStripProps {
  readonly isWide: boolean;
}

export function ClockStrip({ isWide }: ClockStripProps) {
  const { packageName, last } = useLab();
  const isAdvancing = last?.state === 'pending' && last.call.operation === 'advanceClock';
  const clock = useQuery(clockQuery(packageName, isAdvancing));
  const upcoming = useQuery(upcomingQuery(packageName));
  const problem = clock.error ?? upcoming.error;
  if (clock.data !== undefined && upcoming.data !== undefined)
    return <ClockControls clock={clock.data} stops={upcoming.data.stops} isWide={isWide} />;
  if (problem === null) {
    return (
      <>
        <Skeleton h={isWide ? heights.wide : heights.head} style={{ flexShrink: 0 }} />
        {!isWide && <Skeleton h={heights.moves} />}
      </>
    );
  }
  const retry = (): void => {
    void clock.refetch();
    void upcoming.refetch();
  };
  return <Problem error={problem} onRetry={retry} />;
}

interface ClockControlsProps extends ClockStripProps {
  readonly clock: ReadClock;
  readonly stops: AppClockWithStops['stops'];
}

function ClockControls({ clock, stops, isWide }: ClockControlsProps) {
  const { packageName, isBusy, isAnswering, start } = useLab();
  const timeZone = useTimeZone();
  const now = useAppNow(clock, isAnswering);
  const goTo = (time: number): void =>
    start(labCall('advanceClock', { packageName, ...(time > now ? { to: time } : { by: 'PT0S' }) }));
  const head = (
    <Stack gap={0}>
      <Group gap="sm">
        <Text component="time" dateTime={new Date(now).toISOString()} fz="xl" fw={600} lh={1.1}>
          {clockText(now, timeZone)}
        </Text>
        <ClockState clock={clock} />
      </Group>
      <ClockLine clock={clock} now={now} next={stops[0]} />
    </Stack>
  );
  const buttons = <ClockButtons clock={clock} now={now} next={stops[0]?.time} />;
  const nextStops = <NextStops stops={stops} isDisabled={isBusy} onGo={goTo} />;
  if (isWide) {
    return (
      <Strip mih={heights.wide} label="Clock">
        <Stack gap="xs">
          <Group gap="md" justify="space-between" align="flex-start">
            {head}
            {buttons}
          </Group>
          {nextStops}
        </Stack>
      </Strip>
    );
  }
  return (
    <>
      <Strip mih={heights.head} label="Clock" pos="sticky" top={headerEnd} style={{ zIndex: 2 }}>
        {head}
      </Strip>
      <Strip mih={heights.moves} label="Moves of the clock">
        <Stack gap="xs">
          {buttons}
          {nextStops}
        </Stack>
      </Strip>
    </>
  );
}

function Strip({
  label,
  children,
  style,
  ...props
}: PaperProps & { readonly label: string; readonly children: ReactNode }) {
  return (
    <Paper
      component="section"
      withBorder
      radius="md"
      px="md"
      py="xs"
      aria-label={label}
      style={{ flexShrink: 0, ...style }}
      {...props}
    >
      {children}
    </Paper>
  );
}

/** A clock whose server does not answer is not shown as running. */
function ClockState({ clock }: Pick<ClockControlsProps, 'clock'>) {
  const { isAnswering } = useLab();
  if (!isAnswering) return <State tone="waiting">No answer</State>;
  return clock.mode === 'frozen' ? <State tone="info">Frozen</State> : <State tone="good">Running</State>;
}
