// The clock of the app: run, freeze and rate, the track of next stops, and how far an advance is.

import { Alert, Badge, Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import type { ClockAdvance, UpcomingStops } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { clockQuery, labCall, type ReadClock, upcomingQuery } from '../../api/lab.ts';
import type { OperationId } from '../../api/permission.ts';
import { sessionQuery } from '../../api/session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { monthLater } from '../../parts/month-later.ts';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ClockTrack, stopText, TrackLegend } from '../../pictures/clock-track.tsx';
import type { TrackMark } from '../../pictures/track-layout.ts';
import { useAppNow } from './app-now.ts';
import { useLab } from './lab-context.ts';
import { StopTable } from './stop-table.tsx';

export function ClockPanel() {
  const { packageName, last } = useLab();
  const isAdvancing = last?.state === 'pending' && last.call.operation === 'advanceClock';
  const clock = useQuery(clockQuery(packageName, isAdvancing));
  const upcoming = useQuery(upcomingQuery(packageName));
  return (
    <Panel title="Clock" state={joinedState([clock, upcoming])}>
      {clock.data !== undefined && upcoming.data !== undefined && (
        <ClockControls clock={clock.data} stops={upcoming.data.stops} />
      )}
    </Panel>
  );
}

interface ClockControlsProps {
  readonly clock: ReadClock;
  readonly stops: UpcomingStops['stops'];
}

function ClockControls({ clock, stops }: ClockControlsProps) {
  const { packageName, isBusy, start } = useLab();
  const now = useAppNow(clock);
  const [aim, setAim] = useState<TrackMark>();
  const goTo = ({ time }: TrackMark): void =>
    start(labCall('advanceClock', { packageName, ...(time > now ? { to: time } : { by: 'PT0S' }) }));
  return (
    <Stack gap="sm">
      <Group gap="sm" align="center">
        <Text size="xl" fw={600}>
          <Instant ms={now} />
        </Text>
        {clock.mode === 'frozen' ? (
          <Badge color="blue.9">Frozen</Badge>
        ) : (
          <Badge variant="outline">{clock.rate === 1 ? 'Running' : `Running at ${clock.rate}`}</Badge>
        )}
      </Group>
      <ClockButtons clock={clock} now={now} next={stops[0]?.time} />
      <ClockTrack now={now} stops={stops} isDisabled={isBusy} onAim={setAim} onGo={goTo} />
      <Aim aim={aim} stops={stops} />
      <TrackLegend stops={stops} />
      {clock.advanceTo !== undefined && (
        <AdvanceProgress key={clock.advanceTo} to={clock.advanceTo} now={clock.now} />
      )}
      <ClockResponse />
      <StopTable stops={stops} />
    </Stack>
  );
}

/** What a click on a stop does. */
function Aim({ aim, stops }: Pick<ClockControlsProps, 'stops'> & { readonly aim: TrackMark | undefined }) {
  if (stops.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing falls due. Record a subscription to see its next payment here.
      </Text>
    );
  return (
    <Text size="sm">
      {aim === undefined ? (
        'Click a stop, or use the arrow keys and Enter, to go exactly there.'
      ) : (
        <>
          Go to <Instant ms={aim.time} />: {stopText(aim.stops)}
        </>
      )}
    </Text>
  );
}

const rates = {
  '1': '1: real time',
  '60': '60: a minute per second',
  '8928': '8928: a month in 5 minutes',
  '86400': '86400: a day per second',
};

interface ClockButtonsProps {
  readonly clock: ReadClock;
  readonly now: number;
  readonly next: number | undefined;
}

function ClockButtons({ clock, now, next }: ClockButtonsProps) {
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
    <Group gap="sm" align="flex-end">
      <ActionButton
        {...shared}
        operation="putClock"
        label={mode === 'frozen' ? 'Run' : 'Freeze'}
        hotkey="space"
        onAct={toggle}
      />
      <NativeSelect
        size="xs"
        aria-label="Rate"
        disabled={isBusy}
        value={String(rate)}
        data={[
          ...Object.entries(rates).map(([value, label]) => ({ value, label })),
          ...(Object.hasOwn(rates, String(rate)) ? [] : [{ value: String(rate), label: String(rate) }]),
        ]}
        onChange={({ currentTarget }) =>
          start(labCall('putClock', { packageName, mode, rate: Number(currentTarget.value) }))
        }
      />
      <Aimed target={next !== undefined && (to === undefined ? 'Now' : <Instant ms={to} />)}>
        <ActionButton
          {...shared}
          disabled={isBusy || next === undefined}
          operation="advanceClock"
          label="Next stop"
          hotkey="."
          onAct={goNext}
        />
      </Aimed>
      <Aimed target={<Instant ms={monthLater(now, data?.session?.timeZone ?? 'UTC')} />}>
        <ActionButton {...shared} operation="advanceClock" label="+1 month" hotkey="m" onAct={goMonth} />
      </Aimed>
      <ActionButton {...shared} operation="advanceClock" label="+1 year" onAct={goYear} />
    </Group>
  );
}

/** The instant to which a button goes, above it. */
function Aimed({ target, children }: { readonly target: ReactNode; readonly children: ReactNode }) {
  return (
    <Stack gap={2} align="flex-start">
      <Text size="xs" c="dimmed" component="div">
        {target}
      </Text>
      {children}
    </Stack>
  );
}

/** An advance by this tab or by anybody else, or one that ended early. */
function AdvanceProgress({ to, now }: { readonly to: number; readonly now: number }) {
  const { packageName, last, isBusy, start } = useLab();
  const [from] = useState(now);
  const percent = to > from ? Math.round((100 * (now - from)) / (to - from)) : 100;
  const isOwn = last?.state === 'pending' && last.call.operation === 'advanceClock';
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">
        Advancing to <Instant ms={to} />, now at <Instant ms={now} />
      </Text>
      <Progress value={percent} aria-label="Progress of the advance" />
      {!isOwn && (
        <Alert color="blue" variant="light" title="This tab did not start the advance, or it ended early">
          <Group gap="sm">
            <Text size="sm">If the time does not move, resume it: nothing happens twice.</Text>
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              onClick={() => start(labCall('advanceClock', { packageName, to }))}
            >
              Resume
            </Button>
          </Group>
        </Alert>
      )}
    </Stack>
  );
}

const clockOperations: ReadonlySet<string> = new Set<OperationId>(['putClock', 'advanceClock']);

/** What the server responded to the latest call about the clock. */
function ClockResponse() {
  const { last, start } = useLab();
  if (last === undefined || !clockOperations.has(last.call.operation)) return null;
  if (last.state === 'failed') return <Problem error={last.error} onRetry={() => start(last.call)} />;
  if (last.state === 'pending' || last.call.operation !== 'advanceClock') return null;
  const { now, count } = last.result as ClockAdvance;
  return (
    <Text size="sm" role="status">
      The clock is at <Instant ms={now} />. {count === 1 ? '1 event' : `${count} events`} happened.
    </Text>
  );
}
