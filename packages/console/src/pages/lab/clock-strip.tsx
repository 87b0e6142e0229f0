// The clock of the app in a strip of fixed height: what it shows, what falls due next, the buttons that move it, and the
// track of next stops.

import { Box, Group, Paper, type PaperProps, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import type { UpcomingStops } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { clockQuery, labCall, type ReadClock, upcomingQuery } from '../../api/lab.ts';
import { useTimeZone } from '../../parts/preferences.ts';
import { Problem } from '../../parts/problem.tsx';
import { State } from '../../parts/state.tsx';
import { ClockTrack } from '../../pictures/clock-track.tsx';
import type { TrackMark } from '../../pictures/track-layout.ts';
import { fittingWindow, type TrackWindow, trackSpans } from '../../pictures/track-window.ts';
import { useAppNow } from './app-now.ts';
import { ClockButtons } from './clock-buttons.tsx';
import { ClockLine } from './clock-line.tsx';
import { clockText } from './clock-text.ts';
import { useLab } from './lab-context.ts';
import { headerEnd } from './lab-sizes.ts';
import { StopList } from './stop-list.tsx';
import { StopTable } from './stop-table.tsx';

/** The heights of what is shown later, so that nothing moves then. */
const heights = { strip: 124, head: 66, body: 260 } as const;

interface ClockStripProps {
  /** Whether its parts fit next to each other; otherwise only what the clock shows stays above what scrolls. */
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
        <Skeleton h={isWide ? heights.strip : heights.head} style={{ flexShrink: 0 }} />
        {!isWide && <Skeleton h={heights.body} />}
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
  readonly stops: UpcomingStops['stops'];
}

function ClockControls({ clock, stops, isWide }: ClockControlsProps) {
  const { packageName, isBusy, isAnswering, start } = useLab();
  const timeZone = useTimeZone();
  const now = useAppNow(clock, isAnswering);
  const [aim, setAim] = useState<TrackMark>();
  const [chosen, setChosen] = useState<TrackWindow>();
  const window = chosen ?? fittingWindow(stops[0]?.time, now);
  const goTo = (time: number): void =>
    start(labCall('advanceClock', { packageName, ...(time > now ? { to: time } : { by: 'PT0S' }) }));
  const state = <ClockState clock={clock} />;
  const head = (
    <Box miw={0} flex={1}>
      <Group gap="sm" wrap="nowrap">
        <Text
          component="time"
          dateTime={new Date(now).toISOString()}
          fz="xl"
          fw={600}
          lh={1.1}
          style={{ whiteSpace: 'pre' }}
        >
          {clockText(now, timeZone)}
        </Text>
        {isWide && state}
      </Group>
      <Group gap="sm" wrap="nowrap">
        {!isWide && state}
        <ClockLine clock={clock} now={now} stops={stops} aim={aim} />
      </Group>
    </Box>
  );
  const buttons = <ClockButtons clock={clock} now={now} next={stops[0]?.time} />;
  const track = (
    <Box flex={1} miw={0}>
      <ClockTrack
        now={now}
        stops={stops}
        window={window}
        isDisabled={isBusy}
        onWindow={setChosen}
        onAim={setAim}
        onGo={goTo}
        list={(mark) => <StopList stops={mark.stops} isDisabled={isBusy} onGo={goTo} />}
      />
    </Box>
  );
  const spans = (
    <Group gap="xs" wrap="nowrap">
      <SegmentedControl
        size="xs"
        aria-label="Span of the track"
        data={Object.keys(trackSpans)}
        value={window.offset === 0 ? (spanName(window.span) ?? '') : ''}
        onChange={(name) => setChosen({ offset: 0, span: trackSpans[name] ?? window.span })}
      />
      <StopTable stops={stops} />
    </Group>
  );
  if (isWide) {
    return (
      <Strip h={heights.strip} label="Clock">
        <Stack gap={4}>
          <Group gap="md" justify="space-between" wrap="nowrap" align="flex-start">
            {head}
            {buttons}
          </Group>
          <Group gap="md" wrap="nowrap" align="flex-start">
            {track}
            {spans}
          </Group>
        </Stack>
      </Strip>
    );
  }
  return (
    <>
      <Strip h={heights.head} label="Clock" pos="sticky" top={headerEnd} style={{ zIndex: 2 }}>
        {head}
      </Strip>
      <Strip mih={heights.body} label="Moves of the clock">
        <Stack gap="xs">
          {buttons}
          {track}
          {spans}
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
      py={6}
      aria-label={label}
      style={{ flexShrink: 0, ...style }}
      {...props}
    >
      {children}
    </Paper>
  );
}

function spanName(span: number): string | undefined {
  return Object.keys(trackSpans).find((name) => trackSpans[name] === span);
}

/** A clock whose server does not answer is not shown as running. */
function ClockState({ clock }: Pick<ClockControlsProps, 'clock'>) {
  const { isAnswering } = useLab();
  if (!isAnswering) return <State tone="waiting">No answer</State>;
  return clock.mode === 'frozen' ? <State tone="info">Frozen</State> : <State tone="good">Running</State>;
}
