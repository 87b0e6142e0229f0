// Days such as 2026-03-15, and the ranges of days that reports show.

import { dayMs } from '../runtime/durations.ts';

export interface DayRange {
  /** Both days are inclusive. */
  readonly from: string;
  readonly to: string;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day in a time zone. */
export function dayIn(timeZone: string, ms: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms);
}

export function dayAfter(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * dayMs);
}

const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;

/** The length of a range that is not chosen. */
export const daysDefault = 30;

/** The range of a choice; a day that is given replaces its own. */
export function rangeOf(
  { range, from, to }: { readonly [Name in 'range' | 'from' | 'to']?: string | undefined },
  today: string,
): DayRange {
  const chosen = chosenRange(range, to ?? today);
  return { from: from ?? chosen.from, to: to ?? chosen.to };
}

function chosenRange(name: string | undefined, to: string): DayRange {
  if (name === 'month') return { from: monthOf(to), to };
  if (name === 'lastMonth') {
    const last = dayAfter(monthOf(to), -1);
    return { from: monthOf(last), to: last };
  }
  return { from: dayAfter(to, 1 - (name === undefined ? daysDefault : Number(name))), to };
}

/** All days of a range. */
export function daysOf({ from, to }: DayRange): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayAfter(day, 1)) days.push(day);
  return days;
}
