// Reads statistics by period, product or app, and by currency, of all apps or one.

import { Currency, PackageName, ProductId } from '@opentill/contract/fields.ts';
import {
  Day,
  type StatisticGroup,
  type StatisticPeriod,
  statisticCounts,
} from '@opentill/contract/statistics.ts';
import Type, { type Static } from 'typebox';
import { hourMs } from '../../domain/time.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import { filtered } from '../statements/filtered.ts';
import { nullable, type Queryable } from '../statements/statement.ts';
import { countColumns } from '../tables/statistics.ts';
import { sqlTimeZone } from './statistic-days.ts';

/** A charge and its answer take time: a period that fell due later than this ago is not yet open, unless it was declined. */
const openAfterMs = hourMs;

const filters = {
  packageName: 'd.package_name = $packageName',
  productId: 'd.product_id = $productId',
  currency: 'd.currency = $currency',
};

/** The subject of a row. */
const rowKeys = {
  period: Day,
  packageName: nullable(PackageName),
  productId: nullable(ProductId),
  currency: Currency,
};

const CountedRow = Type.Object({ ...rowKeys, ...statisticCounts });
export type CountedRow = Static<typeof CountedRow>;

const summed = Object.entries(countColumns);
const sumsOfDay = summed.map(([, { column }]) => `sum(d.${column}) as ${column}`).join(', ');
const sumsAs = (alias: string) =>
  summed.map(([field, { column }]) => `sum(${alias}.${column})::bigint as "${field}"`).join(', ');

/** SQL for the first three keys of a row, for what rows cover. */
const keysSql = (alias: string): Readonly<Record<'period' | StatisticGroup, string>> => {
  const columnsOf = (period: string, packageName: string, productId: string) =>
    `${period} as period, ${packageName} as "packageName", ${productId} as "productId"`;
  return {
    period: columnsOf(`date_trunc($by, ${alias}.day::timestamp)::date::text`, 'null::text', 'null::text'),
    product: columnsOf('$from::text', `${alias}.package_name`, `${alias}.product_id`),
    app: columnsOf('$from::text', `${alias}.package_name`, 'null::text'),
  };
};

// Days are added up first, because there are far fewer days than rows. Served by the primary key for an app, and by
// statistic_day_of_all for all.
const selectPeriods = filtered({
  name: 'select_statistic_periods',
  row: CountedRow,
  filters,
  text: (where) => `select ${keysSql('n').period}, n.currency, ${sumsAs('n')}
    from (select d.day, d.currency, ${sumsOfDay} from statistic_day d
      where d.day between $from and $to and ${where()} group by 1, 2) as n group by 1, 4 order by 1, 4`,
});

// Served by the primary key for an app, and by statistic_day_of_all for all.
const groupsBy = (group: StatisticGroup) =>
  filtered({
    name: `select_statistic_${group}s`,
    row: CountedRow,
    filters,
    text: (where) => `select ${keysSql('d')[group]}, d.currency, ${sumsAs('d')} from statistic_day d
      where d.day between $from::date and $to and ${where()} group by 2, 3, 4
      order by sum(d.sold_amount) desc, 2, 3, 4 limit $groupsMax`,
  });

const selectCounts = { period: selectPeriods, product: groupsBy('product'), app: groupsBy('app') };

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

const UnpaidRow = Type.Object({
  ...rowKeys,
  /** Null for all that fell due before the range or after it. */
  period: nullable(Day),
  unpaid: Type.Integer(),
  open: Type.Integer(),
});
type UnpaidRow = Static<typeof UnpaidRow>;

/**
 * Subscriptions with a time that has passed by the clock of their app, and that clock. They are few. PostgreSQL, which knows
 * nothing of how its columns depend on each other, would expect a quarter of all and read the whole table; of a range whose
 * ends it does not know it expects 0.5%.
 */
const passedSql = (time: string, condition: string) => `
  select d.package_name, d.product_id, d.currency, d.auto_renewing, d.expiry_time, d.next_payment_time,
    $realNow::bigint as now
  from subscription d left join app_clock k on k.package_name = d.package_name
  where k.package_name is null and ${condition} and ${time} between 0 and (select $realNow::bigint)
  union all
  select d.package_name, d.product_id, d.currency, d.auto_renewing, d.expiry_time, d.next_payment_time,
    ${appTimeSql('k', '$realNow::bigint')}
  from app_clock k join subscription d on d.package_name = k.package_name
  where ${condition} and ${time} between 0 and ${appTimeSql('k', '$realNow::bigint')}`;

// Subscriptions whose paid time is over and that have not ended; a declined payment has moved the next one. Served by
// subscription_renewing and subscription_due. Reads all of app_clock; for each, served by subscription_renewing_of_app and
// subscription_due_of_app.
const unpaidBy = (covered: 'period' | StatisticGroup) =>
  filtered({
    name: `select_unpaid_by_${covered}`,
    row: UnpaidRow,
    filters,
    text(where) {
      const renewing = passedSql('d.expiry_time', `d.auto_renewing and ${where()}`);
      const ending = passedSql(
        'd.due_time',
        `not d.auto_renewing and d.terminated_time is null and not d.expiry_event_written and ${where()}`,
      );
      // Without LATERAL, which Citus does not push down to the shards next to UNION.
      return `select case when k.is_in_range then k.period end as period, k."packageName", k."productId",
          k.currency, count(*) filter (where k.day <= $to)::integer as unpaid,
          count(*) filter (where k.is_in_range and k.auto_renewing
            and (k.expiry_time <= k.now - ${openAfterMs} or k.next_payment_time > k.expiry_time))::integer as open
        from (select n.*, n.day between $from::date and $to as is_in_range, ${keysSql('n')[covered]}
          from (select u.*, (to_timestamp(u.expiry_time / 1000.0) at time zone $timeZone)::date as day
            from (${renewing} union all ${ending}) as u) as n) as k
        group by 1, 2, 3, 4`;
    },
  });

const selectUnpaid = { period: unpaidBy('period'), product: unpaidBy('product'), app: unpaidBy('app') };

// Reads the counters of all apps, or of one, and the first entry of the primary key of event for each that is not counted.
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
    left join lateral (select e.written_at from event e
      where e.package_name = c.package_name and e.event_order > c.counted_order and ${where('ofEvent')}
      order by e.event_order limit 1) as e on true
    where (c.recount_from is not null or c.counted_order < c.event_order) and ${where('packageName')}`,
});

export interface StatisticQuery {
  readonly packageName?: string;
  readonly productId?: string;
  readonly currency?: string;
  /** Both days are inclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: StatisticPeriod | StatisticGroup;
}

export const isGroup = (by: StatisticQuery['by']): by is StatisticGroup => by === 'product' || by === 'app';

const coveredBy = ({ by }: StatisticQuery) => (isGroup(by) ? by : 'period');

/**
 * Counts and sums of the periods with changes, in the order of periods and currencies; of groups, the `groupsMax` that sold
 * most, in this order.
 */
export function readCounts(
  queryable: Queryable,
  query: StatisticQuery,
  groupsMax: number,
): Promise<CountedRow[]> {
  return selectCounts[coveredBy(query)](queryable, { ...query, groupsMax });
}

/** The active subscriptions at the beginning of the first day, unless there are none. */
export function readBalances(queryable: Queryable, query: StatisticQuery): Promise<BalanceRow[]> {
  return selectBalances(queryable, { ...query });
}

/** Subscriptions whose paid time is over and that have not ended, and those of them whose next period is open. */
export function readUnpaid(
  queryable: Queryable,
  query: StatisticQuery,
  { timeZone, realNow }: { readonly timeZone: string; readonly realNow: number },
): Promise<UnpaidRow[]> {
  const values = { ...query, timeZone: sqlTimeZone(timeZone), realNow };
  return selectUnpaid[coveredBy(query)](queryable, values);
}

/** Everything that was written before this instant is counted; undefined while that is unknown. */
export async function readCountedUntil(
  queryable: Queryable,
  { packageName, realNow }: { readonly packageName: string | undefined; readonly realNow: number },
): Promise<number | undefined> {
  const [row] = await selectProgress(queryable, { packageName, ofEvent: packageName });
  return row?.isRecounting === true ? undefined : (row?.oldestUncounted ?? realNow);
}
