// How far each app is counted in statistic_day (docs/decisions/statistics.md).

import Type, { type Static } from 'typebox';
import { lockAppIfFree } from '../apps/apps.ts';
import { NoRow, nullable, type Queryable, statement } from '../connection/statement.ts';

// Apps that are counted for the first time come first, then those with the most uncounted events. Reads all of app_counter
// and statistic_cursor, which have a row for each app.
const selectUncounted = statement({
  name: 'select_uncounted_apps',
  text: `select c.package_name as "packageName" from app_counter c
    left join statistic_cursor k on k.package_name = c.package_name
    where c.package_name <> ''
      and (k.package_name is null or k.filled_until is not null or k.event_order < c.event_order)
    order by case when k.filled_until is null then c.event_order - k.event_order end desc limit $1`,
  row: Type.Object({ packageName: Type.String() }),
});

// An app that had events, and none is retained, is counted from $2 on. Served by the primary keys.
const insertCursor = statement({
  name: 'insert_statistic_cursor',
  text: `insert into statistic_cursor (package_name, event_order, since)
    select c.package_name, coalesce(e.event_order - 1, c.event_order),
      case when coalesce(e.event_order - 1, c.event_order) > 0 then coalesce(e.event_time, $2) end
    from app_counter c left join lateral (select event_order, event_time from event
      where package_name = $1 order by event_order limit 1) as e on true
    where c.package_name = $1 on conflict do nothing`,
  row: NoRow,
});

const Cursor = Type.Object({
  eventOrder: Type.Integer(),
  /** The last purchase that is counted; null once all are. */
  filledUntil: nullable(Type.String()),
  /** The order of the app's last event. */
  lastOrder: Type.Integer(),
});
export type Cursor = Static<typeof Cursor>;

// Served by the primary keys.
const lockCursorRow = statement({
  name: 'lock_statistic_cursor',
  text: `select k.event_order as "eventOrder", k.filled_until as "filledUntil", c.event_order as "lastOrder"
    from statistic_cursor k join app_counter c on c.package_name = k.package_name
    where k.package_name = $1 and c.package_name = $1 for no key update of k skip locked`,
  row: Cursor,
});

// Served by the primary key.
const updateCursor = statement({
  name: 'update_statistic_cursor',
  text: 'update statistic_cursor set event_order = $2, filled_until = $3 where package_name = $1',
  row: NoRow,
});

/** Apps with something that is not counted, at most `limit`. */
export async function listUncountedApps(queryable: Queryable, limit: number): Promise<string[]> {
  const rows = await queryable.rows(selectUncounted, [limit]);
  return rows.map(({ packageName }) => packageName);
}

/**
 * Begins to count an app at its oldest retained event, unless that has begun. The app is locked, so that no event is
 * removed at the same time; false if another transaction has locked it.
 */
export async function openCursor(
  transaction: Queryable,
  { packageName, now }: { readonly packageName: string; readonly now: number },
): Promise<boolean> {
  if (!(await lockAppIfFree(transaction, packageName))) return false;
  await transaction.rows(insertCursor, [packageName, now]);
  return true;
}

/** Locks the cursor of an app; undefined if it has none, or another transaction has locked it. */
export async function lockCursor(transaction: Queryable, packageName: string): Promise<Cursor | undefined> {
  return (await transaction.rows(lockCursorRow, [packageName]))[0];
}

/** Moves a cursor that the transaction has locked. */
export async function moveCursor(
  transaction: Queryable,
  packageName: string,
  { eventOrder, filledUntil }: Pick<Cursor, 'eventOrder' | 'filledUntil'>,
): Promise<void> {
  await transaction.rows(updateCursor, [packageName, eventOrder, filledUntil]);
}
