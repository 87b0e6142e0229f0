// The lengths of the periods of a subscription.

import type { Subscription } from '@opentill/client/operator';
import { dayMs } from '../runtime/durations.ts';
import { counted } from './quantity-text.ts';

type Period = Subscription['period'];

const lengths: Readonly<Record<Period, { readonly months?: number; readonly days?: number }>> = {
  P1W: { days: 7 },
  P1M: { months: 1 },
  P3M: { months: 3 },
  P6M: { months: 6 },
  P1Y: { months: 12 },
};

/** "999 EUR a month". */
export const periodNames: Readonly<Record<Period, string>> = {
  P1W: 'a week',
  P1M: 'a month',
  P3M: 'for three months',
  P6M: 'for six months',
  P1Y: 'a year',
};

const unitNames: Readonly<Record<string, string>> = { D: 'day', W: 'week', M: 'month', Y: 'year' };

/** "14 days" for the first period `P14D`. */
export function firstPeriodText(length: string): string {
  return counted(Number(length.slice(1, -1)), unitNames[length.slice(-1)] ?? '');
}

/** The calendar months and days of a number of periods. */
export function monthsAndDaysOf(period: Period, count: number): { months: number; days: number } {
  const { months = 0, days = 0 } = lengths[period];
  return { months: months * count, days: days * count };
}

/** About as long as a period lasts, in ms. */
export function aboutMs(period: Period): number {
  const { months, days } = monthsAndDaysOf(period, 1);
  return (months * 30 + days) * dayMs;
}
