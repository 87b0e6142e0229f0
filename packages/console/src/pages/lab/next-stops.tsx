// What falls due next by the clock of the app: a button for each stop, which moves the clock exactly there.

import { Button, Group, Text } from '@mantine/core';
import type { AppClockWithStops } from '@opentill/client/operator';
import { countText } from '../../parts/count-text.ts';
import { useTimeZone } from '../../parts/preferences.ts';
import { clockText } from './clock-text.ts';

type Stop = AppClockWithStops['stops'][number];

/** More would not fit next to each other; the others become the next ones as the clock moves. */
const shownMax = 6;

const kinds: Readonly<Record<Stop['kind'], { readonly one: string; readonly many: string }>> = {
  renewal: { one: 'renewal', many: 'renewals' },
  retry: { one: 'payment retry', many: 'payment retries' },
  poll: { one: 'payment poll', many: 'payment polls' },
  expiry: { one: 'expiry', many: 'expiries' },
  delivery: { one: 'delivery', many: 'deliveries' },
};

interface NextStopsProps extends Pick<AppClockWithStops, 'stops'> {
  readonly isDisabled: boolean;
  readonly onGo: (time: number) => void;
}

export function NextStops({ stops, isDisabled, onGo }: NextStopsProps) {
  const timeZone = useTimeZone();
  if (stops.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing falls due. Record a subscription to see its next payment here.
      </Text>
    );
  }
  return (
    <Group component="ul" aria-label="Next stops" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
      {stops.slice(0, shownMax).map((stop) => (
        <li key={`${stop.time} ${stop.kind} ${stop.id}`} style={{ maxWidth: '100%' }}>
          <Button
            size="compact-sm"
            variant="default"
            h="auto"
            mih={26}
            styles={{ label: { whiteSpace: 'normal', lineHeight: 1.4 } }}
            disabled={isDisabled}
            onClick={() => onGo(stop.time)}
          >
            {clockText(stop.time, timeZone)}: {stopText(stop)}
          </Button>
        </li>
      ))}
      {stops.length > shownMax && (
        <Text component="li" size="sm" c="dimmed">
          and later ones
        </Text>
      )}
    </Group>
  );
}

/** "renewal S-1", "14 renewals". */
function stopText({ kind, count, id }: Stop): string {
  return count === 1 ? `${kinds[kind].one} ${shortId(kind, id)}` : `${countText(count)} ${kinds[kind].many}`;
}

/** Of an id of an event, the part that counts: "evt_81". */
function shortId(kind: Stop['kind'], id: string): string {
  return kind === 'delivery' ? (/^evt_\d+/.exec(id)?.[0] ?? id) : id;
}
