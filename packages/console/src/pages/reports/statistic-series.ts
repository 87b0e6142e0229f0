// Statistics as series of periods without gaps: the API has no row for a period in which nothing changed.

import type { OperatorOperations } from '@opentill/client/operator';
import { dayMs } from '../../runtime/durations.ts';

export type Statistics = Awaited<ReturnType<OperatorOperations['getStatistics']>>;
export type StatisticRow = Statistics['rows'][number];

export type Period = 'day' | 'week' | 'month';

export interface PeriodRange {
  /** Days such as 2026-03-15, both inclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: Period;
}

const daysPerWeek = 7;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day in a time zone. */
export function dayIn(timeZone: string, ms: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return parts.format(ms);
}

export function dayBefore(day: string, days: number): string {
  return dayOf(Date.parse(day) - days * dayMs);
}

/** The first day of the period of a day: of its week, a Monday, or of its month. */
function startOf(day: string, by: Period): string {
  if (by === 'month') return `${day.slice(0, 7)}-01`;
  const sinceMonday = (new Date(Date.parse(day)).getUTCDay() + daysPerWeek - 1) % daysPerWeek;
  return by === 'week' ? dayBefore(day, sinceMonday) : day;
}

function nextOf(start: string, by: Period): string {
  if (by === 'month') return startOf(dayOf(Date.parse(start) + 31 * dayMs), by);
  return dayOf(Date.parse(start) + (by === 'week' ? daysPerWeek : 1) * dayMs);
}

/** The first days of all periods of a range. */
export function periodsOf({ from, to, by }: PeriodRange): string[] {
  const periods: string[] = [];
  for (let start = startOf(from, by); start <= to; start = nextOf(start, by)) periods.push(start);
  return periods;
}

const emptyCounts = {
  ...{ sold: 0, soldAmount: 0, started: 0, startedAmount: 0, renewedFirst: 0, renewedFirstAmount: 0 },
  ...{ renewedLater: 0, renewedLaterAmount: 0, voided: 0, voidedAmount: 0 },
  ...{ declined: 0, lost: 0, cancelled: 0, expired: 0, ended: 0 },
} as const;

/** The rows of one currency, with one for each period; `active` stays as it was where nothing changed. */
export function seriesOf({ rows, before }: Statistics, currency: string, range: PeriodRange): StatisticRow[] {
  const known = new Map(rows.filter((row) => row.currency === currency).map((row) => [row.period, row]));
  let active = before.find((entry) => entry.currency === currency)?.active ?? 0;
  return periodsOf(range).map((period) => {
    const row = known.get(period) ?? { ...emptyCounts, period, currency, active };
    active = row.active;
    return row;
  });
}

/** The currencies of the statistics, the one with the most sales first. */
export function currenciesOf({ rows, before }: Statistics): string[] {
  const sold = new Map(before.map(({ currency }) => [currency, 0]));
  for (const row of rows) sold.set(row.currency, (sold.get(row.currency) ?? 0) + row.sold);
  return [...sold].toSorted(([, left], [, right]) => right - left).map(([currency]) => currency);
}
