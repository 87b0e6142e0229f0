// The clock of the app: what it shows, the buttons that move it, and its next stops.

import { Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { clockQuery, labCall, type ReadClock } from '../../api/lab.ts';
import { useTimeZone } from '../../parts/preferences.ts';
import { Problem } from '../../parts/problem.tsx';
import { State } from '../../parts/state.tsx';
import { useAppNow } from './app-now.ts';
import { ClockButtons } from './clock-buttons.tsx';
import { ClockLine } from './clock-line.tsx';
import { clockText } from './clock-text.ts';
import { useLab } from './lab-context.ts';
import { NextStops } from './next-stops.tsx';

/** The height of what is shown later, so that nothing moves then. */
const height = 116;

export function ClockStrip() {
  const { packageName, last } = useLab();
  const isAdvancing = last?.state === 'pending' && last.call.operation === 'advanceClock';
  const clock = useQuery(clockQuery(packageName, isAdvancing));
  if (clock.data !== undefined) return <ClockControls clock={clock.data} />;
  if (clock.error === null) return <Skeleton h={height} style={{ flexShrink: 0 }} />;
  return <Problem error={clock.error} onRetry={() => void clock.refetch()} />;
}

interface ClockControlsProps {
  readonly clock: ReadClock;
}

function ClockControls({ clock }: ClockControlsProps) {
  const { stops } = clock;
  const { packageName, isBusy, isAnswering, start } = useLab();
  const timeZone = useTimeZone();
  const now = useAppNow(clock, isAnswering);
  const goTo = (time: number): void =>
    start(labCall('advanceClock', { packageName, ...(time > now ? { to: time } : { by: 'PT0S' }) }));
  return (
    <Paper
      component="section"
      withBorder
      radius="md"
      px="md"
      py="sm"
      mih={height}
      aria-label="Clock"
      style={{ flexShrink: 0 }}
    >
      <Stack gap="xs">
        <Group gap="md" justify="space-between" align="flex-start">
          <Stack gap={0}>
            <Group gap="sm">
              <Text component="time" dateTime={new Date(now).toISOString()} fz="xl" fw={600} lh={1.1}>
                {clockText(now, timeZone)}
              </Text>
              <ClockState clock={clock} />
            </Group>
            <ClockLine clock={clock} now={now} next={stops[0]} />
          </Stack>
          <ClockButtons clock={clock} now={now} next={stops[0]?.time} />
        </Group>
        <NextStops stops={stops} isDisabled={isBusy} onGo={goTo} />
      </Stack>
    </Paper>
  );
}

/** A clock whose server does not answer is not shown as running. */
function ClockState({ clock }: ClockControlsProps) {
  const { isAnswering } = useLab();
  if (!isAnswering) return <State tone="waiting">No answer</State>;
  return clock.mode === 'frozen' ? <State tone="info">Frozen</State> : <State tone="good">Running</State>;
}
