// One line below the clock: how long it is until the next stop, or how far an advance is.

import { Button, Group, Progress, Text } from '@mantine/core';
import type { AppClockWithStops } from '@opentill/client/operator';
import { useState } from 'react';
import { labCall, type ReadClock } from '../../api/lab.ts';
import { exactDurationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { useLab } from './lab-context.ts';

interface ClockLineProps {
  readonly clock: ReadClock;
  readonly now: number;
  readonly next: AppClockWithStops['stops'][number] | undefined;
}

export function ClockLine({ clock: { advanceTo, now: reached }, now, next }: ClockLineProps) {
  if (advanceTo !== undefined) return <AdvanceProgress key={advanceTo} to={advanceTo} now={reached} />;
  if (next === undefined) return null;
  const text = next.time > now ? `Next stop in ${exactDurationText(next.time - now)}` : 'A stop is due now';
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

/** An advance by this tab or by anybody else, or one that ended early. */
function AdvanceProgress({ to, now }: { readonly to: number; readonly now: number }) {
  const { packageName, last, isBusy, start } = useLab();
  const [from] = useState(now);
  const percent = to > from ? Math.round((100 * (now - from)) / (to - from)) : 100;
  const isOwn = last?.state === 'pending' && last.call.operation === 'advanceClock';
  return (
    <Group gap="xs" role="status">
      {!isOwn && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          title="This tab did not start the advance, or it ended early. If the time does not move, resume it: nothing happens twice."
          onClick={() => start(labCall('advanceClock', { packageName, to }))}
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
