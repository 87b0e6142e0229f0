// Days such as 2026-03-15, and the ranges of days that reports show.

import { dayMs } from '../../runtime/durations.ts';

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

export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;

/** The choices of a range, by the name that is in the address: a month, or a number of days up to today. */
export const rangeNames = {
  month: 'this month',
  lastMonth: 'last month',
  '7': 'the last 7 days',
  '90': 'the last 90 days',
  '365': 'the last 365 days',
} as const;

const daysDefault = 30;
export const rangeDefaultName = `the last ${daysDefault} days`;

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
