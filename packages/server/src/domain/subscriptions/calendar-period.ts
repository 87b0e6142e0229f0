// The months of a subscription, by calendar and in the store's time zone
// (docs/decisions/subscriptions.md).

import { Temporal } from 'temporal-polyfill';

/**
 * Where period `index` (from 0) ends, in ms: `index + 1` months after the first start, counted from that
 * start each time, so that a shorter month shortens only itself (31 Jan, 28 Feb, 31 Mar). The time of day
 * stays that of the first start on the clocks of the zone. Where a clock change skips it, the end comes
 * later by what was skipped; where it comes twice, the end is the first of the two.
 */
export function periodEnd(from: {
  readonly firstStart: number;
  readonly index: number;
  readonly timeZone: string;
}): number {
  if (!Number.isSafeInteger(from.index) || from.index < 0) {
    throw new RangeError(`A period has an index from 0 on, got ${from.index}.`);
  }
  return Temporal.Instant.fromEpochMilliseconds(from.firstStart)
    .toZonedDateTimeISO(from.timeZone)
    .add({ months: from.index + 1 }, { overflow: 'constrain' }).epochMilliseconds;
}

/**
 * Whether the text names a time zone: an IANA name in any case (`Asia/Seoul`) or an offset (`+09:00`).
 * Temporal also finds the zone inside a whole date and time; that is no name of one.
 */
export function isTimeZone(text: string): boolean {
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    return timeZoneId.toLowerCase() === text.toLowerCase();
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
