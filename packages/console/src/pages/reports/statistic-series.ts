// Statistics as series of periods without gaps, and their sums: the API has no row for a period in which nothing changed.

import type { OperatorOperations } from '@opentill/client/operator';
import { type DayRange, dayAfter, monthOf } from './days.ts';

export type Statistics = Awaited<ReturnType<OperatorOperations['getStatistics']>>;
type ReadRow = Statistics['rows'][number];
/** Of a series, with the active subscriptions at the end of the period. */
export type StatisticRow = ReadRow & { readonly active: number };

export type Period = 'day' | 'week' | 'month';

export interface PeriodRange extends DayRange {
  readonly by: Period;
}

const daysPerWeek = 7;

/** The first day of the period of a day: of its week, a Monday, or of its month. */
function startOf(day: string, by: Period): string {
  if (by === 'month') return monthOf(day);
  const sinceMonday = (new Date(Date.parse(day)).getUTCDay() + daysPerWeek - 1) % daysPerWeek;
  return by === 'week' ? dayAfter(day, -sinceMonday) : day;
}

function nextOf(start: string, by: Period): string {
  if (by === 'month') return monthOf(dayAfter(start, 31));
  return dayAfter(start, by === 'week' ? daysPerWeek : 1);
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
  ...{ declined: 0, lost: 0, cancelled: 0, expired: 0, ended: 0, open: 0 },
} as const;

/** The rows of one currency, with one for each period; `active` stays as it was where nothing changed. */
export function seriesOf({ rows, before }: Statistics, currency: string, range: PeriodRange): StatisticRow[] {
  const known = new Map(rows.filter((row) => row.currency === currency).map((row) => [row.period, row]));
  let active = before.find((entry) => entry.currency === currency)?.active ?? 0;
  return periodsOf(range).map((period) => {
    const row = known.get(period) ?? { ...emptyCounts, period, currency };
    active = row.active ?? active;
    return { ...row, active };
  });
}

/** The currencies of the statistics, the one with the most sales first. */
export function currenciesOf({ rows, before }: Statistics): string[] {
  const sold = new Map(before.map(({ currency }) => [currency, 0]));
  for (const row of rows) sold.set(row.currency, (sold.get(row.currency) ?? 0) + row.sold);
  return [...sold].toSorted(([, left], [, right]) => right - left).map(([currency]) => currency);
}

type CountName = keyof typeof emptyCounts;

export const sumOf = (rows: readonly Pick<ReadRow, CountName>[], name: CountName): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

/** What was sold and voided in one currency. */
export interface Sales {
  readonly currency: string;
  readonly sold: number;
  readonly soldAmount: number;
  readonly voided: number;
  readonly voidedAmount: number;
}

/** The sums of each currency, in the order of `currencies`. */
export function salesByCurrency(rows: readonly Sales[], currencies: readonly string[]): Sales[] {
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    const sum = (name: Exclude<keyof Sales, 'currency'>) => own.reduce((total, row) => total + row[name], 0);
    return {
      ...{ currency, sold: sum('sold'), soldAmount: sum('soldAmount') },
      ...{ voided: sum('voided'), voidedAmount: sum('voidedAmount') },
    };
  });
}
