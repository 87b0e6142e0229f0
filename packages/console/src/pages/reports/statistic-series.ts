// Statistics as series of days without gaps, and their sums: the API has no row for a day on which nothing changed.

import type { OperatorOperations } from '@opentill/client/operator';
import { type DayRange, daysOf } from '../../values/days.ts';

export type Statistics = Awaited<ReturnType<OperatorOperations['getStatistics']>>;
type ReadRow = Statistics['rows'][number];
/** A row of a series, with the active subscriptions at the end of the day. */
export type StatisticRow = ReadRow & { readonly active: number };

const emptyCounts = {
  ...{
    sold: 0,
    soldAmount: 0,
    trials: 0,
    started: 0,
    startedAmount: 0,
    renewedFirst: 0,
    renewedFirstAmount: 0,
  },
  ...{ renewedLater: 0, renewedLaterAmount: 0, voided: 0, voidedAmount: 0 },
  ...{ declined: 0, lost: 0, cancelled: 0, expired: 0, ended: 0, open: 0 },
} as const;

/** The rows of one currency, with one for each day; `active` stays as it was where nothing changed. */
export function seriesOf({ rows, before }: Statistics, currency: string, range: DayRange): StatisticRow[] {
  const known = new Map(rows.filter((row) => row.currency === currency).map((row) => [row.period, row]));
  let active = before.find((entry) => entry.currency === currency)?.active ?? 0;
  return daysOf(range).map((period) => {
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

/** Sales and voids in one currency. */
export interface Sales {
  readonly currency: string;
  readonly sold: number;
  readonly soldAmount: number;
  readonly trials: number;
  readonly voided: number;
  readonly voidedAmount: number;
}

/** The sums of each currency, in the order of `currencies`. */
export function salesByCurrency(rows: readonly Sales[], currencies: readonly string[]): Sales[] {
  return currencies.map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    const sum = (name: Exclude<keyof Sales, 'currency'>) => own.reduce((total, row) => total + row[name], 0);
    return {
      ...{ currency, sold: sum('sold'), soldAmount: sum('soldAmount'), trials: sum('trials') },
      ...{ voided: sum('voided'), voidedAmount: sum('voidedAmount') },
    };
  });
}
