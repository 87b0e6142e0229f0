// An instant in the time zone that is chosen in the bar: the store's, UTC or the browser's.

import { Text } from '@mantine/core';
import { isProduction } from '../runtime/page.ts';
import { useTimeZone } from './preferences.ts';

/** The clock that a sandbox instant was read from: an app's, which moves on demand, or the real one. */
type ClockOf = 'app' | 'real';

interface InstantProps {
  readonly ms: number;
  /** Marks the instant in the sandbox. In a list, the title of the column does (`timeTitle`). */
  readonly clock?: ClockOf;
}

/** The title of a column of instants. */
export function timeTitle(clock: ClockOf, title = 'Time'): string {
  return isProduction ? title : `${title} (${clock} time)`;
}

export function Instant({ ms, clock }: InstantProps) {
  const timeZone = useTimeZone();
  return (
    <time dateTime={new Date(ms).toISOString()} style={{ whiteSpace: 'nowrap' }}>
      {formatOf(timeZone).format(ms)}
      {clock !== undefined && !isProduction && (
        <Text span size="xs" c="dimmed">
          {` ${clock} time`}
        </Text>
      )}
    </time>
  );
}

/** The instant as text, for labels. */
export function useInstantText(): (ms: number) => string {
  const timeZone = useTimeZone();
  return (ms) => formatOf(timeZone).format(ms);
}

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  formats.set(timeZone, format);
  return format;
}
