// Removes the events of an app that are older than the retention time (docs/decisions/events.md).

import Type from 'typebox';
import { lockAppIfFree } from '../apps/apps.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../statements/statement.ts';
import { removeDeliveries } from '../webhooks/deliveries.ts';

// The oldest $4 events, up to the first that has to be retained. Served by the primary keys of all tables and
// closed_month_of_app.
const selectAgedEvents = statement({
  name: 'select_aged_events',
  text: `select max(event_order) as "lastOrder", count(*) as count from (
      select oldest.event_order, bool_and(written_at < case when w.package_name is not null and (
          oldest.event_order > w.cursor_order or d.state in ('waiting', 'held')) then least($2, $3::bigint) else $2 end)
        over (order by oldest.event_order) as is_aged
      from (
        select event_order, written_at from event where package_name = $1 order by event_order limit $4) as oldest
      left join webhook w on w.package_name = $1
      left join webhook_delivery d on d.package_name = $1 and d.event_order = oldest.event_order
      ) as judged
    where is_aged and (not $5 or event_order <= (select m.last_order from closed_month m
      where m.package_name = $1 and m.product_id = '' order by m.month desc limit 1))`,
  row: Type.Object({ lastOrder: nullable(Type.Integer()), count: Type.Integer() }),
});

// Served by the primary key.
const deleteEvents = statement({
  name: 'delete_aged_events',
  text: 'delete from event where package_name = $1 and event_order <= $2',
  row: NoRow,
});

// Served by the primary key of app_counter in its order, and by that of event once for each app.
const selectAppsWithAgedEvents = statement({
  name: 'select_apps_with_aged_events',
  text: `select c.package_name as "packageName" from app_counter c
    cross join lateral (
      select e.written_at from event e where e.package_name = c.package_name
      order by e.event_order limit 1) as oldest
    where c.package_name > $1 and oldest.written_at < $2 order by c.package_name limit $3`,
  row: Type.Object({ packageName: Type.String() }),
});

/** A page of the apps whose oldest event was written before a real instant, after the name `after`, at first ''. */
export async function listAppsWithAgedEvents(
  queryable: Queryable,
  before: number,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await queryable.rows(selectAppsWithAgedEvents, [after, before, limit]);
  return rows.map(({ packageName }) => packageName);
}

/** Instants of the database's clock. */
export interface AgedEvents {
  /** Events that were written before are removed, */
  readonly before: number;
  /** but undelivered ones only if they were also written before this. */
  readonly undeliveredBefore: number;
  /** and none whose month has not closed. */
  readonly waitsForMonths: boolean;
}

/**
 * Removes the oldest events of an app, at most `limit`. Returns true if there may be more, and false also while another
 * transaction has the app locked.
 */
export async function removeAgedEvents(
  transaction: Queryable,
  of: AgedEvents & { packageName: string; limit: number },
): Promise<boolean> {
  const { packageName, before, undeliveredBefore, limit, waitsForMonths } = of;
  if (!(await lockAppIfFree(transaction, packageName))) return false;
  const values = [packageName, before, undeliveredBefore, limit, waitsForMonths];
  const [aged] = await transaction.rows(selectAgedEvents, values);
  if (aged === undefined || aged.lastOrder === null) return false;
  await removeDeliveries(transaction, { packageName, until: aged.lastOrder });
  await transaction.rows(deleteEvents, [packageName, aged.lastOrder]);
  return aged.count === limit;
}
