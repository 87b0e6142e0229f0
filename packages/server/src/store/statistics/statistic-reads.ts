// Reads statistics by period and currency, of all apps or one.

import { Currency } from '@opentill/contract/fields.ts';
import { type StatisticPeriod, StatisticRow } from '@opentill/contract/statistics.ts';
import Type, { type Static } from 'typebox';
import { filtered } from '../connection/filtered.ts';
import { nullable, type Queryable } from '../connection/statement.ts';
import { countColumns } from '../tables/statistics.ts';

const filters = {
  packageName: 'd.package_name = $packageName',
  productId: 'd.product_id = $productId',
  currency: 'd.currency = $currency',
};

const { active: _, ...counts } = StatisticRow.properties;
const PeriodRow = Type.Object(counts);
type PeriodRow = Static<typeof PeriodRow>;

const summed = Object.entries(countColumns);
const sumsOfDay = summed.map(([, { column }]) => `sum(d.${column}) as ${column}`).join(', ');
const sumsOfPeriod = summed.map(([field, { column }]) => `sum(n.${column})::bigint as "${field}"`).join(', ');

// Days are added up first, because there are far fewer days than rows. Served by the primary key for an app, and by
// statistic_day_of_all for all.
const selectPeriods = filtered({
  name: 'select_statistic_periods',
  row: PeriodRow,
  filters,
  text: (
    where,
  ) => `select date_trunc($by, n.day::timestamp)::date::text as period, n.currency, ${sumsOfPeriod}
    from (select d.day, d.currency, ${sumsOfDay} from statistic_day d
      where d.day between $from and $to and ${where()} group by 1, 2) as n group by 1, 2 order by 1, 2`,
});

const BalanceRow = Type.Object({ currency: Currency, active: Type.Integer() });
type BalanceRow = Static<typeof BalanceRow>;

// Served by the primary key for an app, and by statistic_day_active, which has all
// the columns, for all.
const selectBalances = filtered({
  name: 'select_statistic_balances',
  row: BalanceRow,
  filters,
  text: (where) => `select d.currency, sum(d.started - d.ended)::bigint as active from statistic_day d
    where d.day < $from and (d.started <> 0 or d.ended <> 0) and ${where()}
    group by 1 having sum(d.started - d.ended) <> 0 order by 1`,
});

// Reads the counters of all apps, or of one, and the primary key of event for each that is not counted.
const selectProgress = filtered({
  name: 'select_statistic_progress',
  row: Type.Object({
    /** The days of an imported app are being counted. */
    isRecounting: Type.Boolean(),
    /** When the oldest event that is not counted was written. */
    oldestUncounted: nullable(Type.Integer()),
  }),
  // The second names the shard of the events, which Citus does not infer.
  filters: { packageName: 'c.package_name = $packageName', ofEvent: 'e.package_name = $ofEvent' },
  text: (where) => `select count(c.recount_from) > 0 as "isRecounting", min(e.written_at) as "oldestUncounted"
    from app_counter c
    left join event e on e.package_name = c.package_name and e.event_order > c.counted_order and ${where('ofEvent')}
    where (c.recount_from is not null or c.counted_order < c.event_order) and ${where('packageName')}`,
});

export interface StatisticQuery {
  readonly packageName?: string;
  readonly productId?: string;
  readonly currency?: string;
  /** Both days are inclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: StatisticPeriod;
}

/** Counts and sums of the periods with changes, in the order of periods and currencies. */
export function readPeriods(queryable: Queryable, query: StatisticQuery): Promise<PeriodRow[]> {
  return selectPeriods(queryable, { ...query });
}

/** The active subscriptions at the beginning of the first day, unless there are none. */
export function readBalances(queryable: Queryable, query: StatisticQuery): Promise<BalanceRow[]> {
  return selectBalances(queryable, { ...query });
}

/** Everything that was written before this instant is counted; undefined while that is unknown. */
export async function readCountedUntil(
  queryable: Queryable,
  { packageName, realNow }: { readonly packageName: string | undefined; readonly realNow: number },
): Promise<number | undefined> {
  const [row] = await selectProgress(queryable, { packageName, ofEvent: packageName });
  return row?.isRecounting === true ? undefined : (row?.oldestUncounted ?? realNow);
}
