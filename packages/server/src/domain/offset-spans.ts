// The times in which a zone keeps one offset, so that an instant is calculated without Temporal, which takes 10 to 100 µs.

import { Temporal } from 'temporal-polyfill';

export interface OffsetSpan {
  /** In ms: the first instant, and the first one after it. */
  readonly from: number;
  readonly to: number;
  readonly offsetMs: number;
  /** As in `+09:00`. */
  readonly text: string;
}

/** Zones whose spans are kept: more than there are names of zones. */
const zonesMax = 1_000;

const finders = new Map<string, (ms: number) => OffsetSpan>();

/** @throws RangeError for an unknown zone */
export function offsetSpanOf(ms: number, timeZone: string): OffsetSpan {
  let find = finders.get(timeZone);
  if (find === undefined) {
    if (finders.size === zonesMax) finders.clear();
    find = spanFinder(timeZone);
    finders.set(timeZone, find);
  }
  return find(ms);
}

function spanFinder(timeZone: string): (ms: number) => OffsetSpan {
  const spans: OffsetSpan[] = [];
  let span: OffsetSpan | undefined;
  const isIn = (ms: number, { from, to }: OffsetSpan) => ms >= from && ms < to;
  return (ms) => {
    if (span === undefined || !isIn(ms, span)) {
      span = spans.find((known) => isIn(ms, known)) ?? offsetSpanAt(ms, timeZone);
      if (!spans.includes(span)) spans.push(span);
    }
    return span;
  };
}

function offsetSpanAt(ms: number, timeZone: string): OffsetSpan {
  const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
  // At a transition, the earlier of the two enclosing offsets.
  const from = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds;
  const to = zoned.getTimeZoneTransition('next')?.epochMilliseconds;
  return {
    from: from ?? Number.NEGATIVE_INFINITY,
    to: to ?? Number.POSITIVE_INFINITY,
    offsetMs: zoned.offsetNanoseconds / 1_000_000,
    text: zoned.offset,
  };
}
