// The months of a subscription, by calendar and in the store's time zone
// (docs/decisions/subscriptions.md).

import { Temporal } from 'temporal-polyfill';

/** The instants that a store accepts, of 2001 to 2286, have fewer months. */
export const periodIndexMax = 3_599;

/** Where the calendar of a subscription is counted from: at first, period -1 ends at the first start. */
export interface CalendarAnchor {
  /** When period `anchorIndex` ends by the calendar, in ms; an extended one ends up to a day later. */
  readonly anchorTime: number;
  readonly anchorIndex: number;
  readonly timeZone: string;
}

type Anchored = Pick<CalendarAnchor, 'anchorTime' | 'anchorIndex'>;

/**
 * When a period ends by the calendar, in ms: `index - anchorIndex` months after `anchorTime`, always counted from it, so
 * that a short month does not shorten later ones (31 Jan, 28 Feb, 31 Mar). The time of day is that of the anchor in the
 * zone. If a clock change skips it, the end is later by the skipped time; if it comes twice, the first one counts.
 */
export function periodEnd({ anchorTime, anchorIndex, timeZone }: CalendarAnchor, index: number): number {
  const months = index - anchorIndex;
  if (!Number.isSafeInteger(months) || months < 0) {
    throw new RangeError(`Expected period ${anchorIndex} or a later one, got ${index}.`);
  }
  return inZone(anchorTime, timeZone).add({ months }, { overflow: 'constrain' }).epochMilliseconds;
}

const inZone = (instant: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);

/** The number of months from an instant to another by the calendar, rounded. */
export function monthsBetween(
  { anchorTime, timeZone }: Pick<CalendarAnchor, 'anchorTime' | 'timeZone'>,
  end: number,
): number {
  const unit = { largestUnit: 'month', smallestUnit: 'month', roundingMode: 'halfExpand' } as const;
  return inZone(anchorTime, timeZone).until(inZone(end, timeZone), unit).months;
}

/**
 * The anchor of the months after a period that ends at `newEnd`, later than by the calendar. None of them ends before the
 * end that it had. In a later month of the calendar they are counted from `newEnd`; in the same one the calendar moves by
 * whole days and keeps its time of day, because both may end on the last day of a shorter month, or where a clock change
 * skips an hour.
 */
export function extendedAnchor(
  { anchorTime, anchorIndex, timeZone }: CalendarAnchor,
  { index, newEnd }: { readonly index: number; readonly newEnd: number },
): Anchored {
  const end = inZone(periodEnd({ anchorTime, anchorIndex, timeZone }, index), timeZone);
  const later = inZone(newEnd, timeZone);
  if (later.year * 12 + later.month > end.year * 12 + end.month) {
    return { anchorTime: newEnd, anchorIndex: index };
  }
  const { days } = end.until(later, { largestUnit: 'day', smallestUnit: 'day' });
  if (days < 1) return { anchorTime, anchorIndex };
  return { anchorTime: end.add({ days }).epochMilliseconds, anchorIndex: index };
}

/**
 * The anchor of a subscription from another store: its first start, unless its last month ends elsewhere by another calendar
 * or an extension. A void ends a month early, at the instant that ends the subscription, and moves nothing.
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
}): Anchored {
  const first = { anchorTime, anchorIndex: -1 };
  if (terminatedTime === expiryTime) return first;
  const index = lastPeriodIndex;
  if (expiryTime < periodEnd({ ...first, timeZone }, index)) {
    return { anchorTime: expiryTime, anchorIndex: index };
  }
  return extendedAnchor({ ...first, timeZone }, { index, newEnd: expiryTime });
}

/** What isTimeZone accepts, for people. */
export const expectedTimeZone = 'expected a name such as Europe/Berlin';

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
