// The periods of a subscription, by calendar and in the store's time zone (docs/decisions/subscriptions.md).

import type { Period } from '@opentill/contract/periods.ts';
import { Temporal } from 'temporal-polyfill';
import { offsetSpanOf } from '../offset-spans.ts';
import { dayMs, hourMs } from '../time.ts';

/** Where the calendar of a subscription is counted from: at first, period -1 ends at the first start. */
export interface CalendarAnchor {
  /** When period `anchorIndex` ends by the calendar, in ms; an extended one ends up to a day later. */
  readonly anchorTime: number;
  readonly anchorIndex: number;
  readonly period: Period;
  readonly timeZone: string;
}

type Anchored = Pick<CalendarAnchor, 'anchorTime' | 'anchorIndex'>;

/** Each length with its shortest days: the months of a period may have a February, and none has more than one. */
const lengths = {
  P1W: { unit: 'weeks', count: 1, daysMin: 7 },
  P1M: { unit: 'months', count: 1, daysMin: 28 },
  P3M: { unit: 'months', count: 3, daysMin: 89 },
  P6M: { unit: 'months', count: 6, daysMin: 181 },
  P1Y: { unit: 'months', count: 12, daysMin: 365 },
} as const satisfies Record<Period, object>;

/**
 * The shortest time from one end to the next, in ms: an extension of the one before takes up to a day of a period, and a
 * change of the clocks up to two hours.
 */
export function periodMsMin(period: Period): number {
  return (lengths[period].daysMin - 1) * dayMs - 2 * hourMs;
}

/**
 * When a period ends by the calendar, in ms: `index - anchorIndex` periods after `anchorTime`, always counted from it, so
 * that a short month does not shorten later ones (31 Jan, 28 Feb, 31 Mar). The time of day is that of the anchor in the
 * zone. If a clock change skips it, the end is later by the skipped time; if it comes twice, the first one counts.
 */
export function periodEnd(
  { anchorTime, anchorIndex, period, timeZone }: CalendarAnchor,
  index: number,
): number {
  const periods = index - anchorIndex;
  if (!Number.isSafeInteger(periods) || periods < 0) {
    throw new RangeError(`Expected period ${anchorIndex} or a later one, got ${index}.`);
  }
  const { unit, count } = lengths[period];
  return (
    steadyEnd({ anchorTime, period, timeZone }, periods) ??
    later(anchorTime, timeZone, { [unit]: periods * count })
  );
}

/** No two offsets of a zone differ by as much, in ms. */
const offsetChangeMsMax = 2 * dayMs;

/**
 * The same without Temporal, which takes 100 µs, where the zone does not change its clocks near the end: nearly everywhere.
 * A rehearsal of a year calculates millions of ends (docs/decisions/subscriptions.md).
 */
function steadyEnd(
  { anchorTime, period, timeZone }: Pick<CalendarAnchor, 'anchorTime' | 'period' | 'timeZone'>,
  periods: number,
): number | undefined {
  const { offsetMs } = offsetSpanOf(anchorTime, timeZone);
  const end = wallEnd(anchorTime + offsetMs, period, periods);
  const span = offsetSpanOf(end - offsetMs, timeZone);
  const instant = end - span.offsetMs;
  const isSteady = instant - span.from > offsetChangeMsMax && span.to - instant > offsetChangeMsMax;
  return isSteady ? instant : undefined;
}

/** On the wall: ms of a zone in which each day has 24 hours. */
function wallEnd(start: number, period: Period, periods: number): number {
  const { unit, count } = lengths[period];
  if (unit === 'weeks') return start + periods * count * 7 * dayMs;
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + periods * count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay));
  return midnight + (start - Math.floor(start / dayMs) * dayMs);
}

const inZone = (instant: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);

const later = (instant: number, timeZone: string, duration: Temporal.DurationLike | string): number =>
  inZone(instant, timeZone).add(duration, { overflow: 'constrain' }).epochMilliseconds;

/** The index of the period whose end by the calendar is nearest to an instant. */
export function nearestPeriod(
  { anchorTime, anchorIndex, period, timeZone }: CalendarAnchor,
  end: number,
): number {
  const { unit, count } = lengths[period];
  const passed = inZone(anchorTime, timeZone).until(inZone(end, timeZone), {
    largestUnit: unit,
    smallestUnit: unit,
    roundingIncrement: count,
    roundingMode: 'halfExpand',
  });
  return anchorIndex + passed[unit] / count;
}

/**
 * The anchor of the periods after one that ends at `newEnd`, later than by the calendar. None of them ends before the end
 * that it had. In a later month of the calendar they are counted from `newEnd`; in the same one the calendar moves by
 * whole days and keeps its time of day, because both may end on the last day of a shorter month, or where a clock change
 * skips an hour.
 */
export function extendedAnchor(
  { anchorTime, anchorIndex, period, timeZone }: CalendarAnchor,
  { index, newEnd }: { readonly index: number; readonly newEnd: number },
): Anchored {
  const end = inZone(periodEnd({ anchorTime, anchorIndex, period, timeZone }, index), timeZone);
  const extended = inZone(newEnd, timeZone);
  if (extended.year * 12 + extended.month > end.year * 12 + end.month) {
    return { anchorTime: newEnd, anchorIndex: index };
  }
  const { days } = end.until(extended, { largestUnit: 'day', smallestUnit: 'day' });
  if (days < 1) return { anchorTime, anchorIndex };
  return { anchorTime: end.add({ days }).epochMilliseconds, anchorIndex: index };
}

/** What a sale fixes: the first start, the length of each period, and that of a first period of its own. */
export interface SoldCalendar {
  readonly firstStartTime: number;
  readonly timeZone: string;
  readonly period: Period;
  readonly firstPeriod?: string | null;
}

/** The anchor of a new subscription and the end of its first period, which moves the calendar as an extension does. */
export function firstCalendar({ firstStartTime, timeZone, period, firstPeriod }: SoldCalendar): {
  readonly anchor: Anchored;
  readonly expiryTime: number;
} {
  const first = { anchorTime: firstStartTime, anchorIndex: -1, period, timeZone };
  const expiryTime = firstPeriod == null ? periodEnd(first, 0) : later(firstStartTime, timeZone, firstPeriod);
  return { anchor: movedAnchor(first, { index: 0, newEnd: expiryTime }), expiryTime };
}

/** The anchor of the periods after one that ends at `newEnd`, earlier or later than by the calendar. */
function movedAnchor(
  anchor: CalendarAnchor,
  { index, newEnd }: { readonly index: number; readonly newEnd: number },
): Anchored {
  if (newEnd < periodEnd(anchor, index)) return { anchorTime: newEnd, anchorIndex: index };
  return extendedAnchor(anchor, { index, newEnd });
}

/**
 * The anchor of a subscription from another store: that of its sale, unless its last period ends elsewhere by another
 * calendar or an extension. A void ends a period early, at the instant that ends the subscription, and moves nothing.
 */
export function anchorOfMoved({
  lastPeriodIndex,
  expiryTime,
  terminatedTime,
  ...sold
}: SoldCalendar & {
  readonly lastPeriodIndex: number;
  readonly expiryTime: number;
  readonly terminatedTime?: number;
}): Anchored {
  const { period, timeZone } = sold;
  const { anchor } = firstCalendar(sold);
  if (terminatedTime === expiryTime) return anchor;
  return movedAnchor({ ...anchor, period, timeZone }, { index: lastPeriodIndex, newEnd: expiryTime });
}

/** What isTimeZone accepts, for people. */
export const expectedTimeZone = 'expected a name such as Europe/Berlin';

/** Names that Temporal, which takes 20 µs, has accepted: more than a store has. */
const timeZones = new Set<string>();
const timeZonesMax = 1_000;

/**
 * Whether the text is the name of a time zone in any case (`Asia/Seoul`) or an offset (`+09:00`). Temporal also accepts a
 * date and time that contain a zone.
 */
export function isTimeZone(text: string): boolean {
  if (timeZones.has(text)) return true;
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    const isName = timeZoneId.toLowerCase() === text.toLowerCase();
    if (isName && timeZones.size < timeZonesMax) timeZones.add(text);
    return isName;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
