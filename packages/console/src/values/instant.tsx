// An instant in the time zone of the settings: the store's, UTC or the browser's.

import { Text } from '@mantine/core';
import { createContext, useContext } from 'react';
import { useTimeZone } from '../parts/preferences.ts';
import { isProduction } from '../runtime/page.ts';
import { comesTwice } from './wall-time.ts';

/** The clock that a sandbox instant was read from: an app's, which moves on demand, or the real one. */
export type ClockOf = 'app' | 'real';

interface InstantProps {
  readonly ms: number;
  /** Marks the instant in the sandbox. In a list, the heading of the column does (records.tsx). */
  readonly clock?: ClockOf;
}

interface TimeFormat {
  readonly hasZone: boolean;
  readonly hasSeconds: boolean;
  /** The default clock and time zone. */
  readonly clock?: ClockOf | undefined;
}

const textFormat: TimeFormat = { hasZone: true, hasSeconds: false };

/** For instants within a minute of each other. */
export const secondsFormat: TimeFormat = { hasZone: true, hasSeconds: true };

/** How instants are shown: a column names the zone once, in its heading, unless a wall time comes twice. */
export const TimeFormatContext = createContext<TimeFormat>(textFormat);

export function Instant({ ms, clock }: InstantProps) {
  const timeZone = useTimeZone();
  const format = useContext(TimeFormatContext);
  const hasOffset = !format.hasZone && comesTwice(ms, timeZone);
  const clockName = clock ?? format.clock;
  return (
    <time dateTime={new Date(ms).toISOString()} style={{ whiteSpace: 'nowrap' }}>
      {formatOf(timeZone, { ...format, hasOffset }).format(ms)}
      {clockName !== undefined && !isProduction && (
        <Text span size="xs" c="dimmed">
          {` ${clockName} time`}
        </Text>
      )}
    </time>
  );
}

/** The clock and the zone of a column of instants: "app time, Europe/Berlin". */
export function ClockName({ clock }: { readonly clock: ClockOf }) {
  const timeZone = useTimeZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Text component="div" size="xs" c="dimmed" fw={400}>
      {isProduction ? timeZone : `${clock} time, ${timeZone}`}
    </Text>
  );
}

/** The instant as text, for labels. */
export function useInstantText(clock?: ClockOf): (ms: number) => string {
  const timeZone = useTimeZone();
  const clockName = clock === undefined || isProduction ? '' : ` ${clock} time`;
  return (ms) => formatOf(timeZone, textFormat).format(ms) + clockName;
}

const formats = new Map<string, Intl.DateTimeFormat>();

type Shown = TimeFormat & { readonly hasOffset?: boolean };

function formatOf(timeZone: string | undefined, shown: Shown): Intl.DateTimeFormat {
  const { hasZone, hasSeconds, hasOffset = false } = shown;
  const key = `${timeZone} ${hasZone} ${hasSeconds} ${hasOffset}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds && { second: '2-digit' }),
    timeZone,
    ...(hasZone && { timeZoneName: 'short' }),
    ...(hasOffset && { timeZoneName: 'shortOffset' }),
  });
  formats.set(key, format);
  return format;
}
