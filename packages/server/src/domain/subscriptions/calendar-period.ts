// The months of a subscription, by calendar and in the store's time zone
// (docs/decisions/subscriptions.md).

import { Temporal } from 'temporal-polyfill';

/** The instants that a store accepts, of 2001 to 2286, have fewer months. */
export const periodIndexMax = 3_599;

/** Where the calendar of a subscription is counted from: at first, period -1 ends at the first start. */
export interface CalendarAnchor {
  /** When period `anchorIndex` ends, in ms. */
  readonly anchorTime: number;
  readonly anchorIndex: number;
  readonly timeZone: string;
}

/**
 * When a period after the anchor ends, in ms: `index - anchorIndex` months after `anchorTime`, always counted from it, so
 * that a short month does not shorten later ones (31 Jan, 28 Feb, 31 Mar). The time of day is that of the anchor in the
 * zone. If a clock change skips it, the end is later by the skipped time; if it comes twice, the first one counts.
 */
export function periodEnd({ anchorTime, anchorIndex, timeZone }: CalendarAnchor, index: number): number {
  const months = index - anchorIndex;
  if (!Number.isSafeInteger(months) || months < 1) {
    throw new RangeError(`Expected a period after ${anchorIndex}, got ${index}.`);
  }
  return Temporal.Instant.fromEpochMilliseconds(anchorTime)
    .toZonedDateTimeISO(timeZone)
    .add({ months }, { overflow: 'constrain' }).epochMilliseconds;
}

/**
 * The anchor of a subscription from another store: its first start, or the end of its last month if that is not where the
 * calendar puts it. A void ends a month early, at the instant that ends the subscription, and moves nothing.
 */
export function anchorOfMoved({
  firstStart: anchorTime,
  timeZone,
  lastPeriodIndex,
  expiryTime,
  terminatedTime,
}: {
  readonly firstStart: number;
  readonly timeZone: string;
  readonly lastPeriodIndex: number;
  readonly expiryTime: number;
  readonly terminatedTime?: number;
}): Pick<CalendarAnchor, 'anchorTime' | 'anchorIndex'> {
  const first = { anchorTime, anchorIndex: -1 };
  const isUnmoved = periodEnd({ ...first, timeZone }, lastPeriodIndex) === expiryTime;
  if (isUnmoved || terminatedTime === expiryTime) return first;
  return { anchorTime: expiryTime, anchorIndex: lastPeriodIndex };
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
