// Counts the days of an app from its rows (docs/decisions/statistics.md).

import Type, { type Static } from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import { type Database, type Queryable, RolledBack } from '../connection/database.ts';
import { filtered } from '../statements/filtered.ts';
import { NoRow, nullable, statement } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, type RowOf, rowShape } from '../statements/table.ts';
import { countColumns, statisticDay } from '../tables/statistics.ts';
import { findStatisticsZone, fixStatisticsZone } from './statistics-zone.ts';

/** Events whose days one step counts: some hundreds of ms. */
const eventsOfStepMax = 10_000;

/** Days that one step of a recount counts. */
const daysOfStep = 30;

/** The day of an instant that is so close to midnight may be the other one, where clocks are changed at midnight. */
const aroundMidnightMs = 7_200_000;

/** The types in the index event_counted. */
const countedTypes = `('subscription.payment_failed', 'subscription.auto_payment_cancelled', 'subscription.expired')`;

const hasEnded = '(s.expiry_event_written or s.terminated_time is not null)';

/** SQL for the day of an instant in the time zone $2. */
const dayOf = (instant: string) => `(to_timestamp(${instant} / 1000.0) at time zone $2)::date`;

const isNearDay = (instant: string) =>
  `${instant} >= d.starts - ${aroundMidnightMs} and ${instant} < d.ends + ${aroundMidnightMs}`;

const isTrial = `(c.part = 'started' and c.price = 0)`;

/** The condition of each count, and of the amount of the same name. */
const conditions: Readonly<Record<string, string>> = {
  sold: `c.kind = 'sold' and ${isTrial} is not true`,
  trials: isTrial,
  started: `c.kind = 'sold' and c.part = 'started'`,
  renewedFirst: `c.kind = 'sold' and c.part = 'renewedFirst'`,
  renewedLater: `c.kind = 'sold' and c.part = 'renewedLater'`,
  voided: `c.kind = 'voided'`,
  declined: `c.kind = 'subscription.payment_failed'`,
  lost: `c.kind = 'subscription.expired' and c.part <> 'cancelled'`,
  // The store's question for consent is no cancel: it is answered, withdrawn or expires.
  cancelled: `c.kind = 'subscription.auto_payment_cancelled' and c.part is distinct from 'awaited'`,
  expired: `c.kind = 'subscription.expired'`,
  ended: `c.kind = 'ended'`,
};

const counts = Object.keys(countColumns).map((field) => {
  const [name = '', isAmount] = field.split('Amount', 2);
  const filter = `filter (where ${conditions[name]})`;
  return isAmount === undefined
    ? `count(*) ${filter} as "${field}"`
    : `coalesce(sum(c.price) ${filter}, 0)::bigint as "${field}"`;
});

// The day $3 of the app $1. A subscription starts with the first period that is here, whose purchase has its id, and ends in
// the currency in which it started. A period that was paid after the end of its subscription follows the last period of it, and was
// never given. Served by purchase_by_time, purchase_void_order, subscription_ended and event_counted, and by primary keys for
// each period and event.
const selectCounts = statement({
  name: 'count_statistic_day',
  text: `select $1::text as "packageName", d.day::text as day, c.product_id as "productId", c.currency, ${counts.join(', ')}
    from (select day, extract(epoch from day::timestamp at time zone $2)::bigint * 1000 as starts,
        extract(epoch from (day + 1)::timestamp at time zone $2)::bigint * 1000 as ends
      from (select $3::date as day) as t) as d
    cross join lateral (
      select 'sold' as kind, p.purchase_time as time, p.product_id, p.currency, p.price, case
          when p.period_index is null then null
          when p.purchase_id = p.first_purchase_id then 'started'
          when p.period_index > (select s.last_period_index from subscription s
            where s.package_name = $1 and s.first_purchase_id = p.first_purchase_id) then null
          when (select a.attempt from renewal_attempt a
            where a.package_name = $1 and a.first_purchase_id = p.first_purchase_id and a.period_index = p.period_index
              and a.purchase_id = p.purchase_id limit 1) > 1 then 'renewedLater'
          else 'renewedFirst' end as part
        from purchase p
        where p.package_name = $1 and ${isNearDay('p.purchase_time')}
      union all
      select 'voided', p.voided_time, p.product_id, p.currency, coalesce(p.refund_amount, p.price), null
        from purchase p where p.package_name = $1 and ${isNearDay('p.voided_time')}
      union all
      select 'ended', s.expiry_time, s.product_id, coalesce((select p.currency from purchase p
          where p.package_name = $1 and p.purchase_id = s.first_purchase_id), s.currency), null, null
        from subscription s where s.package_name = $1 and ${hasEnded} and ${isNearDay('s.expiry_time')}
      union all
      select e.type, e.event_time, p.product_id, p.currency, null, coalesce(e.expiry_reason, e.consent)
        from event e cross join lateral (select p.product_id, p.currency from purchase p
          where p.package_name = $1 and p.purchase_id = e.purchase_id limit 1) as p
        where e.package_name = $1 and e.type in ${countedTypes} and ${isNearDay('e.event_time')}
    ) as c
    where ${dayOf('c.time')} = d.day group by d.day, c.product_id, c.currency`,
  row: rowShape(statisticDay),
});

/** What only events record stays as it was counted, because events are removed. */
const eventCounts = ['declined', 'lost', 'cancelled', 'expired'];

const replacements = Object.entries(countColumns).map(([field, { column }]) =>
  eventCounts.includes(field)
    ? `${column} = greatest(d.${column}, excluded.${column})`
    : `${column} = excluded.${column}`,
);

// Served by the primary key.
const writeCounts = statement({
  name: 'write_statistic_days',
  text: `insert into statistic_day as d (package_name, ${columnNames(statisticDay)})
    select $1, ${columnNames(statisticDay)}
    from unnest(${arrayParameters(statisticDay, 2)}) as c (${columnNames(statisticDay)})
    on conflict (package_name, day, product_id, currency) do update set ${replacements.join(', ')}`,
  row: NoRow,
});

// The days of all instants of the rows that events after $3, up to $4, are about: more than have changed, and never fewer.
// Served by the primary keys.
const selectDaysOfEvents = statement({
  name: 'select_days_of_events',
  text: `select distinct ${dayOf('t.time')}::text as day
    from (select * from event where package_name = $1 and event_order > $3 and event_order <= $4
      and purchase_id is not null and type <> 'purchase.consumed' order by event_order limit ${eventsOfStepMax}) as e
    cross join lateral (select p.purchase_time, p.voided_time, p.first_purchase_id from purchase p
      where p.package_name = $1 and p.purchase_id = e.purchase_id limit 1) as p
    left join lateral (select case when ${hasEnded} then s.expiry_time end as expiry_time from subscription s
      where s.package_name = $1 and s.first_purchase_id = p.first_purchase_id limit 1) as s on true
    cross join lateral (values (e.event_time), (p.purchase_time), (p.voided_time), (s.expiry_time)) as t (time)
    where t.time is not null`,
  row: Type.Object({ day: Type.String() }),
});

/** SQL for the first of some instants at $3 or later. */
const firstOf = (instant: string, rows: string) =>
  `(select min(${instant}) from ${rows} and ${instant} >= $3)`;

const firstInstant = `least(${[
  firstOf('p.purchase_time', 'purchase p where p.package_name = $1'),
  firstOf('p.voided_time', 'purchase p where p.package_name = $1'),
  firstOf('s.expiry_time', `subscription s where s.package_name = $1 and ${hasEnded}`),
  firstOf('e.event_time', `event e where e.package_name = $1 and e.type in ${countedTypes}`),
].join(', ')})`;

// The next days of a recount, from the first one with anything to count at $3 or later, and the instant from which it goes
// on; no rows if it is done. Served by purchase_by_time, purchase_void_order, subscription_ended and event_counted.
const selectDaysOfRecount = statement({
  name: 'select_days_of_recount',
  text: `select (f.day + n)::text as day,
      extract(epoch from (f.day + ${daysOfStep})::timestamp at time zone $2)::bigint * 1000 - ${aroundMidnightMs} as until
    from (select ${dayOf(firstInstant)} as day) as f cross join generate_series(0, ${daysOfStep - 1}) as n
    where f.day is not null`,
  row: Type.Object({ day: Type.String(), until: Type.Integer() }),
});

/** An app with events whose days are not counted, those after countedOrder, or with days from recountFrom on. */
const UncountedApp = Type.Object({
  packageName: Type.String(),
  countedOrder: Type.Integer(),
  eventOrder: Type.Integer(),
  recountFrom: nullable(Type.Integer()),
});
export type UncountedApp = Static<typeof UncountedApp>;

const uncountedColumns = `package_name as "packageName", counted_order as "countedOrder",
  event_order as "eventOrder", recount_from as "recountFrom"`;

// Reads all of app_counter, which has a row for each app.
const selectUncounted = statement({
  name: 'select_uncounted_apps',
  text: `select ${uncountedColumns} from app_counter
    where (counted_order < event_order or recount_from is not null) and package_name <> '${wholeStore}'
    order by counted_order - event_order limit $1`,
  row: UncountedApp,
});

/** Changes that a report counts itself, so that it includes the latest changes: some tens of ms for each app. */
const freshMax = { events: 20, apps: 5 } as const;

// For all apps or one. As above, or served by the primary key.
const selectFresh = filtered({
  name: 'select_fresh_apps',
  row: UncountedApp,
  filters: { packageName: 'package_name = $packageName' },
  text: (where) => `select ${uncountedColumns} from app_counter
    where counted_order < event_order and counted_order >= event_order - ${freshMax.events}
      and recount_from is null and package_name <> '${wholeStore}' and ${where()}
    order by event_order - counted_order, package_name limit ${freshMax.apps}`,
});

// Served by the primary key.
const advance = statement({
  name: 'advance_counted_order',
  text: `update app_counter set counted_order = $3, recount_from = $5
    where package_name = $1 and counted_order = $2 and recount_from is not distinct from $4
    returning package_name as "packageName"`,
  row: Type.Object({ packageName: Type.String() }),
});

/** At most `limit` apps, those with the most events first. */
export function listUncountedApps(queryable: Queryable, limit: number): Promise<UncountedApp[]> {
  return queryable.rows(selectUncounted, [limit]);
}

/** The apps in which little has changed since the last count, those with the fewest changes first. */
export function listFreshApps(
  queryable: Queryable,
  packageName: string | undefined,
): Promise<UncountedApp[]> {
  return selectFresh(queryable, { packageName });
}

/**
 * Counts the days that the next events of an app have changed, and the next days of a recount. What is read is at least as
 * new as these events, so the counts are right unless another server, or a reset, has advanced the app in the meantime, or
 * another server has fixed the time zone: then nothing is written. `ownTimeZone` is used for the first day of the database.
 * Returns whether the app has more to count.
 */
export async function countStep(
  database: Pick<Database, 'rows' | 'transaction'>,
  app: UncountedApp,
  ownTimeZone: string,
): Promise<boolean> {
  const { packageName, countedOrder, recountFrom } = app;
  const fixedTimeZone = await findStatisticsZone(database);
  const zone = sqlTimeZone(fixedTimeZone ?? ownTimeZone);
  const until = Math.min(app.eventOrder, countedOrder + eventsOfStepMax);
  const changed = await database.rows(selectDaysOfEvents, [packageName, zone, countedOrder, until]);
  const recount =
    recountFrom === null ? [] : await database.rows(selectDaysOfRecount, [packageName, zone, recountFrom]);
  const recountUntil = recount[0]?.until ?? null;
  const days = [...new Set([...changed, ...recount].map(({ day }) => day))];
  const counted: RowOf<typeof statisticDay>[] = [];
  for (const day of days) counted.push(...(await database.rows(selectCounts, [packageName, zone, day])));
  await database.transaction({ packageName }, async (transaction) => {
    const advanced = await transaction.rows(advance, [
      packageName,
      countedOrder,
      until,
      recountFrom,
      recountUntil,
    ]);
    if (advanced.length === 0 || counted.length === 0) return undefined;
    const isOwn = fixedTimeZone !== undefined || (await fixStatisticsZone(transaction, ownTimeZone));
    if (!isOwn) return new RolledBack(undefined);
    await transaction.rows(writeCounts, [packageName, ...columnArrays(statisticDay, counted)]);
    return undefined;
  });
  return until < app.eventOrder || recountUntil !== null;
}

/** In the time zones of PostgreSQL, the sign of an offset says how far UTC is ahead. */
export function sqlTimeZone(timeZone: string): string {
  return timeZone.replace(/^[+-]/, (sign) => (sign === '+' ? '-' : '+'));
}
