// One line below the clock: how far an advance is, what a click on the track would do, or else what falls due next.

import { Button, Group, Progress, Text } from '@mantine/core';
import type { UpcomingStops } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { deliveriesQuery, labCall, type ReadClock } from '../../api/lab.ts';
import { exactDurationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { stopText } from '../../pictures/stop-kinds.tsx';
import type { TrackMark } from '../../pictures/track-layout.ts';
import { useLab } from './lab-context.ts';
import { StopObject, stopWords } from './stop-object.tsx';

interface ClockLineProps {
  readonly clock: ReadClock;
  readonly now: number;
  readonly stops: UpcomingStops['stops'];
  readonly aim: TrackMark | undefined;
}

export function ClockLine({ clock: { advanceTo, now: reached }, now, stops, aim }: ClockLineProps) {
  if (advanceTo !== undefined) return <AdvanceProgress key={advanceTo} to={advanceTo} now={reached} />;
  const [next] = stops;
  const [first] = aim?.stops ?? [];
  if (aim !== undefined && first !== undefined) {
    const isOneInstant = first.time === aim.stops.at(-1)?.time;
    return (
      <Line>
        {isOneInstant ? 'Go to ' : 'From '}
        <Instant ms={first.time} />: {stopText(aim.stops)}
      </Line>
    );
  }
  if (next === undefined)
    return <Line>Nothing falls due. Record a subscription to see its next payment here.</Line>;
  return <NextStop now={now} stops={stops.filter(({ time }) => time === next.time)} />;
}

/** It stays on one line, so that nothing below moves. */
function Line({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="div" truncate miw={0}>
      {children}
    </Text>
  );
}

function NextStop({ now, stops }: Pick<ClockLineProps, 'now' | 'stops'>) {
  const { packageName } = useLab();
  const deliveries = useQuery(deliveriesQuery(packageName));
  const [stop] = stops;
  if (stop === undefined) return null;
  const isOne = stops.length === 1 && stop.count === 1;
  const made = deliveries.data?.deliveries.find(({ id }) => id === stop.id)?.attempts.length;
  return (
    <Line>
      {stop.time > now ? `in ${exactDurationText(stop.time - now)}` : 'due now'}: {stopWords(stops)}
      {isOne && (
        <>
          {' '}
          <StopObject stop={stop} />
          {stop.kind === 'delivery' && made !== undefined && `, attempt ${made + 1}`}
        </>
      )}
    </Line>
  );
}

/** An advance by this tab or by anybody else, or one that ended early. */
function AdvanceProgress({ to, now }: { readonly to: number; readonly now: number }) {
  const { packageName, last, isBusy, start } = useLab();
  const [from] = useState(now);
  const percent = to > from ? Math.round((100 * (now - from)) / (to - from)) : 100;
  const isOwn = last?.state === 'pending' && last.call.operation === 'advanceClock';
  return (
    <Group gap="xs" role="status" wrap="nowrap" miw={0}>
      {!isOwn && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          style={{ flexShrink: 0 }}
          title="This tab did not start the advance, or it ended early. If the time does not move, resume it: nothing happens twice."
          onClick={() => start(labCall('advanceClock', { packageName, to }))}
        >
          Resume
        </Button>
      )}
      <Progress value={percent} w="4rem" style={{ flexShrink: 0 }} aria-label="Progress of the advance" />
      <Line>
        Advancing to <Instant ms={to} />, now at <Instant ms={now} />
      </Line>
    </Group>
  );
}
