// The days that a call for statistics covers.

import { statisticDaysMax } from '@opentill/contract/limits.ts';
import { Temporal } from 'temporal-polyfill';

/** Both days are inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Returns which of the days is invalid, and why; undefined for a valid range. */
export function dayRangeProblem({
  from,
  to,
}: DayRange): { readonly name: keyof DayRange; readonly message: string } | undefined {
  const firstDay = parseDay(from);
  if (firstDay === undefined) return { name: 'from', message: notADay(from) };
  const lastDay = parseDay(to);
  if (lastDay === undefined) return { name: 'to', message: notADay(to) };
  const latest = firstDay.add({ days: statisticDaysMax - 1 });
  if (Temporal.PlainDate.compare(lastDay, firstDay) < 0) {
    return { name: 'to', message: `expected ${from} or later, got ${to}` };
  }
  if (Temporal.PlainDate.compare(lastDay, latest) > 0) {
    const message = `expected at most ${latest}, because a call covers ${statisticDaysMax} days, got ${to}`;
    return { name: 'to', message };
  }
  return undefined;
}

const notADay = (text: string) => `expected a day such as 2026-03-15, got ${text}`;

/** PostgreSQL knows no year 0. */
function parseDay(text: string): Temporal.PlainDate | undefined {
  try {
    const day = Temporal.PlainDate.from(text);
    return day.year > 0 ? day : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
