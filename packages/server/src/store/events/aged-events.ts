// Removes the events of an app that are older than the retention time (docs/decisions/events.md).

import Type from 'typebox';
import { agedAppsScan } from '../apps/app-scan.ts';
import { lockAppIfFree } from '../apps/apps.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../connection/statement.ts';
import { removeDeliveries } from '../webhooks/deliveries.ts';

// Served by the primary key: the oldest $3 events, up to the first that is young enough to be retained.
const selectAgedEvents = statement({
  name: 'select_aged_events',
  text: `select max(event_order) as "lastOrder", count(*) as count from (
      select event_order, bool_and(written_at < $2) over (order by event_order) as is_aged from (
        select event_order, written_at from event where package_name = $1 order by event_order limit $3) as oldest
      ) as judged
    where is_aged`,
  row: Type.Object({ lastOrder: nullable(Type.Integer()), count: Type.Integer() }),
});

// Served by the primary key.
const deleteEvents = statement({
  name: 'delete_aged_events',
  text: 'delete from event where package_name = $1 and event_order <= $2',
  row: NoRow,
});

/** Apps whose oldest event was written before a real instant. */
export const listAppsWithAgedEvents = agedAppsScan({
  name: 'select_apps_with_aged_events',
  table: 'event',
  order: 'event_order',
  age: 'written_at',
});

/**
 * Removes the oldest events of an app that were written before a real instant, at most `limit`. Returns true if there
 * may be more, and false also while another transaction has the app locked.
 */
export async function removeAgedEvents(
  transaction: Queryable,
  { packageName, before, limit }: { packageName: string; before: number; limit: number },
): Promise<boolean> {
  if (!(await lockAppIfFree(transaction, packageName))) return false;
  const [aged] = await transaction.rows(selectAgedEvents, [packageName, before, limit]);
  if (aged === undefined || aged.lastOrder === null) return false;
  await removeDeliveries(transaction, { packageName, until: aged.lastOrder });
  await transaction.rows(deleteEvents, [packageName, aged.lastOrder]);
  return aged.count === limit;
}
