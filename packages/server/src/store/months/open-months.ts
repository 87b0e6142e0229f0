// The month of an app that is open, and the apps in which it is over.

import { MonthName } from '@opentill/contract/statements.ts';
import Type, { type Static } from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import { nullable, type Queryable, statement } from '../statements/statement.ts';

/** A month closes this long after its end, in ms: what is in flight at its end is still a part of it. */
const closesAfterMs = 60_000;

/** Months that one step closes: ten years of a sandbox. */
export const monthsOfStepMax = 120;

/** SQL for an instant of a local time in the time zone $2, in ms. */
const instantOf = (local: string) => `extract(epoch from (${local}) at time zone $2)::bigint * 1000`;

/**
 * SQL for the apps with their last closed month, their first event after it and the start of the open month; `app` is SQL for
 * the package name, $1 if it is known, by which Citus finds the node. A subquery without tables may only call immutable
 * functions there, so no text becomes a date.
 */
const openMonths = (app: string) => `app_counter c
    join app a on a.package_name = c.package_name
    left join app_clock k on k.package_name = c.package_name
    left join lateral (
      select m.month, m.last_order from closed_month m where m.package_name = ${app} and m.product_id = ''
      order by m.month desc limit 1) as last on true
    left join lateral (
      select e.event_order, e.event_time from event e
      where e.package_name = ${app} and e.event_order > coalesce(last.last_order, c.reset_order)
      order by e.event_order limit 1) as first on true
    cross join lateral (select coalesce(
      make_date(left(last.month, 4)::integer, right(last.month, 2)::integer, 1) + interval '1 month',
      date_trunc('month', to_timestamp(least(a.created_at, first.event_time) / 1000.0) at time zone $2)) as starts) as o`;

// Served by the primary keys, in the order of that of app_counter, and by closed_month_of_app.
const selectAppsWithOverMonths = statement({
  name: 'select_apps_with_over_months',
  text: `select c.package_name as "packageName" from ${openMonths('c.package_name')}
    where c.package_name > $1 and c.package_name <> '${wholeStore}'
      and ${instantOf(`o.starts + interval '1 month'`)} < ${appTimeSql('k', '$3::bigint')} - ${closesAfterMs}
    order by c.package_name limit $4`,
  row: Type.Object({ packageName: Type.String() }),
});

const OverMonth = Type.Object({ name: MonthName, end: Type.Integer() });

const OpenMonth = Type.Object({
  /** The order of its first event, which may not exist yet. */
  firstOrder: Type.Integer(),
  eventOrder: Type.Integer(),
  /** The first event at firstOrder or later that is retained. */
  firstRetained: nullable(Type.Integer()),
  isFirst: Type.Boolean(),
  /** The lease of an advance. */
  leaseUntil: nullable(Type.Integer()),
  /** It and the following ones that are over. */
  over: Type.Array(OverMonth),
});
export type OpenMonth = Static<typeof OpenMonth>;

// Served by the primary keys and closed_month_of_app.
const selectOpenMonth = statement({
  name: 'select_open_month',
  text: `select coalesce(last.last_order, c.reset_order) + 1 as "firstOrder", c.event_order as "eventOrder",
      first.event_order as "firstRetained", last.month is null as "isFirst", k.lease_until as "leaseUntil",
      (select coalesce(json_agg(json_build_object('name', n.name, 'end', n.ends) order by n.ends), '[]') from (
        select to_char(o.starts + n * interval '1 month', 'YYYY-MM') as name,
          ${instantOf(`o.starts + (n + 1) * interval '1 month'`)} as ends
        from generate_series(0, ${monthsOfStepMax - 1}) as n) as n
        where n.ends < $3::bigint - ${closesAfterMs}) as over
    from ${openMonths('$1')} where c.package_name = $1`,
  row: OpenMonth,
});

/** Apps in which a month is over at a real instant, in the order of their names, after the last one of the previous page. */
export async function listAppsWithOverMonths(
  queryable: Queryable,
  { timeZone, realNow }: { readonly timeZone: string; readonly realNow: number },
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await queryable.rows(selectAppsWithOverMonths, [after, timeZone, realNow, limit]);
  return rows.map(({ packageName }) => packageName);
}

/** `now` is an instant of the app that was read before; undefined for an unknown app. */
export async function readOpenMonth(
  queryable: Queryable,
  packageName: string,
  { timeZone, now }: { readonly timeZone: string; readonly now: number },
): Promise<OpenMonth | undefined> {
  return (await queryable.rows(selectOpenMonth, [packageName, timeZone, now]))[0];
}
