// The buttons that run, freeze and move the clock of the app, and one for each of its next stops.

import { Button, Group, NativeSelect, Text } from '@mantine/core';
import type { AppClockWithStops } from '@opentill/client/operator';
import { useIsReader } from '../../api/session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { useTimeZone } from '../../parts/preferences.ts';
import { countText } from '../../values/quantity-text.ts';
import { useLab } from './lab-context.ts';

const rates: readonly number[] = [1, 60, 8_928, 86_400];

interface ClockButtonsProps {
  readonly clock: AppClockWithStops;
  readonly now: number;
}

/** Moves the clock to a stop; what is overdue happens at once. */
const to = (time: number, now: number) => (time > now ? { to: time } : { by: 'PT0S' });

export function ClockButtons({ clock: { mode, rate, stops }, now }: ClockButtonsProps) {
  const { isBusy, start } = useLab();
  const [next] = stops;
  const shared = { variant: 'default', disabled: isBusy } as const;
  return (
    <Group gap="xs">
      <ActionButton
        {...shared}
        operation="putClock"
        label={mode === 'frozen' ? 'Run' : 'Freeze'}
        hotkey="space"
        onAct={() => start('putClock', { mode: mode === 'frozen' ? 'running' : 'frozen', rate })}
      />
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
        onChange={({ currentTarget }) => start('putClock', { mode, rate: Number(currentTarget.value) })}
      />
      <ActionButton
        {...shared}
        disabled={isBusy || next === undefined}
        operation="advanceClock"
        label="Next stop"
        hotkey="."
        onAct={() => next !== undefined && start('advanceClock', to(next.time, now))}
      />
      <ActionButton
        {...shared}
        operation="advanceClock"
        label="+1 month"
        hotkey="m"
        onAct={() => start('advanceClock', { by: 'P1M' })}
      />
      <ActionButton
        {...shared}
        operation="advanceClock"
        label="+1 year"
        onAct={() => start('advanceClock', { by: 'P1Y' })}
      />
    </Group>
  );
}

/** "23 Nov 2026  22:49:07". */
export function clockText(ms: number, timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  return format.format(ms).replace(',', ' ');
}

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

/** The next stops of the clock of the app: each button moves the clock exactly there. */
export function NextStops({ clock: { stops }, now }: ClockButtonsProps) {
  const { isBusy, start } = useLab();
  const timeZone = useTimeZone();
  const isReader = useIsReader();
  if (stops.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing falls due. Record a subscription to see its next payment here.
      </Text>
    );
  }
  return (
    <Group component="ul" aria-label="Next stops" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
      {stops.slice(0, shownMax).map((stop) => {
        const text = `${clockText(stop.time, timeZone)}: ${stopText(stop)}`;
        return (
          <li key={`${stop.time} ${stop.kind} ${stop.id}`} style={{ maxWidth: '100%' }}>
            {isReader ? (
              <Text size="sm">{text}</Text>
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                h="auto"
                mih={26}
                styles={{ label: { whiteSpace: 'normal', lineHeight: 1.4 } }}
                disabled={isBusy}
                onClick={() => start('advanceClock', to(stop.time, now))}
              >
                {text}
              </Button>
            )}
          </li>
        );
      })}
      {stops.length > shownMax && (
        <Text component="li" size="sm" c="dimmed">
          and later ones
        </Text>
      )}
    </Group>
  );
}

/** "renewal S-1", "14 renewals". Of an id of an event, the part that counts is shown: "evt_81". */
function stopText({ kind, count, id }: Stop): string {
  const shortId = kind === 'delivery' ? (/^evt_\d+/.exec(id)?.[0] ?? id) : id;
  return count === 1 ? `${kinds[kind].one} ${shortId}` : `${countText(count)} ${kinds[kind].many}`;
}
