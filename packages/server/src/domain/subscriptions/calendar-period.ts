// The months of a subscription, by calendar and in the store's time zone
// (docs/decisions/subscriptions.md).

import { Temporal } from 'temporal-polyfill';

/**
 * When period `index` (from 0) ends, in ms: `index + 1` months after the first start, always counted from that start, so
 * that a short month does not shorten later ones (31 Jan, 28 Feb, 31 Mar). The time of day is that of the first start in
 * the zone. If a clock change skips it, the end is later by the skipped time; if it comes twice, the first one counts.
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
 * Whether the text is the name of a time zone in any case (`Asia/Seoul`) or an offset (`+09:00`). Temporal also accepts a
 * date and time that contain a zone.
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
