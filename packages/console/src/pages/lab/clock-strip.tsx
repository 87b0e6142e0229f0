// The clock of the app: what it shows, how far an advance is, the buttons that move it, and its next stops.

import { Button, Group, Paper, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import type { AppClockWithStops } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callQuery } from '../../api/client.ts';
import { useConnection } from '../../api/connection.ts';
import { useIsReader } from '../../api/session.ts';
import { useTimeZone } from '../../parts/preferences.ts';
import { Problem } from '../../parts/problem.tsx';
import { State } from '../../parts/states.tsx';
import { elapsedSince } from '../../runtime/clock.ts';
import { Instant } from '../../values/instant.tsx';
import { exactDurationText } from '../../values/quantity-text.ts';
import { ClockButtons, clockText, NextStops } from './clock-buttons.tsx';
import { labEveryMs, useLab } from './lab-context.ts';

/** The height of what is shown later, so that nothing moves then. */
const height = 116;

/** During an advance, to show how far it is. */
const advancingEveryMs = 300;

const tickMs = 250;

export function ClockStrip() {
  const { packageName, last } = useLab();
  const isAdvancing = last?.state === 'pending' && last.call.operation === 'advanceClock';
  const clock = useQuery({
    ...callQuery('getClock', { packageName }),
    refetchInterval: ({ state }) =>
      isAdvancing || state.data?.advanceTo !== undefined ? advancingEveryMs : labEveryMs,
  });
  if (clock.data !== undefined) return <ClockControls clock={clock.data} readAt={clock.dataUpdatedAt} />;
  if (clock.error === null) return <Skeleton h={height} style={{ flexShrink: 0 }} />;
  return <Problem error={clock.error} onRetry={() => void clock.refetch()} />;
}

interface ClockProps {
  readonly clock: AppClockWithStops;
  /** By the clock of the browser. */
  readonly readAt: number;
}

function ClockControls({ clock, readAt }: ClockProps) {
  const timeZone = useTimeZone();
  const now = useAppNow({ clock, readAt });
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
            <ClockLine clock={clock} now={now} />
          </Stack>
          <ClockButtons clock={clock} now={now} />
        </Group>
        <NextStops clock={clock} now={now} />
      </Stack>
    </Paper>
  );
}

/**
 * The time of the app between two readings. A clock that is frozen, or being advanced by a call, or whose server does not
 * respond, does not run.
 */
function useAppNow({ clock, readAt }: ClockProps): number {
  const { isLost } = useConnection();
  const isRunning = clock.mode === 'running' && clock.advanceTo === undefined;
  const [elapsed, setElapsed] = useState(() => elapsedSince(readAt));
  const { start, stop } = useInterval(() => setElapsed(elapsedSince(readAt)), tickMs);
  useEffect(() => {
    if (isRunning && !isLost) start();
    return stop;
  }, [isRunning, isLost, start, stop]);
  return isRunning ? clock.now + Math.max(0, elapsed) * clock.rate : clock.now;
}

/** A clock whose server does not respond is not shown as running. */
function ClockState({ clock }: Pick<ClockProps, 'clock'>) {
  if (useConnection().isLost) return <State tone="waiting">No response</State>;
  return clock.mode === 'frozen' ? <State tone="info">Frozen</State> : <State tone="good">Running</State>;
}

interface ClockLineProps {
  readonly clock: AppClockWithStops;
  readonly now: number;
}

/** How long it is until the next stop, or how far an advance is. */
function ClockLine({ clock: { advanceTo, now: reached, stops }, now }: ClockLineProps) {
  const [next] = stops;
  if (advanceTo !== undefined) return <AdvanceProgress key={advanceTo} to={advanceTo} now={reached} />;
  if (next === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {next.time > now ? `Next stop in ${exactDurationText(next.time - now)}` : 'A stop is due now'}
    </Text>
  );
}

/** An advance by this tab or by anybody else, or one that ended early. */
function AdvanceProgress({ to, now }: { readonly to: number; readonly now: number }) {
  const { last, isBusy, start } = useLab();
  const [from] = useState(now);
  const percent = to > from ? Math.round((100 * (now - from)) / (to - from)) : 100;
  const isReader = useIsReader();
  const isOwn = last?.state === 'pending' && last.call.operation === 'advanceClock';
  return (
    <Group gap="xs" role="status">
      {!isOwn && !isReader && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          title="This tab did not start the advance, or it ended early. If the time does not move, resume it: nothing happens twice."
          onClick={() => start('advanceClock', { to })}
        >
          Resume
        </Button>
      )}
      <Progress value={percent} w="4rem" aria-label="Progress of the advance" />
      <Text size="sm" c="dimmed" component="div">
        Advancing to <Instant ms={to} />, now at <Instant ms={now} />
      </Text>
    </Group>
  );
}
