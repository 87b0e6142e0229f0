// The instant that a filter of the address means: relative to a clock such as -24h or +7d, a date (values/date-text.ts), or ms.

import { serverNow } from '../runtime/clock.ts';
import { dayMs, hourMs, minuteMs } from '../runtime/durations.ts';
import { instantOfDate, isoOf } from '../values/date-text.ts';
import { dayAfter } from '../values/days.ts';

const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs };

/** Returns ms, or undefined if the text is not an instant. */
export function instantOf(text: string, timeZone: string | undefined, now = serverNow()): number | undefined {
  const [, sign, count, unit = ''] = /^([+-])(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(`${sign}${count}`) * (unitsMs[unit] ?? 0);
  return /^\d{13}$/.test(text) ? Number(text) : instantOfDate(text, timeZone);
}

interface Limits<Limit> {
  readonly from?: Limit | undefined;
  /** A day is inclusive. */
  readonly to?: Limit | undefined;
}

/** The instants of the filters from and to: the second is exclusive. */
export function limitsOf({ from, to }: Limits<string>, timeZone: string | undefined): Limits<number> {
  const iso = to === undefined ? undefined : isoOf(to);
  const end = iso !== undefined && !iso.includes('T') ? dayAfter(iso, 1) : to;
  return {
    from: from === undefined ? undefined : instantOf(from, timeZone),
    to: end === undefined ? undefined : instantOf(end, timeZone),
  };
}
