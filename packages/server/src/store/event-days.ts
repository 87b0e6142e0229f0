// Up to which order the events of an app were written by which day of real time: what tells their age, and who
// may remove them (docs/decisions/retention.md).

import Type, { type Static } from 'typebox';
import { type AppScan, agedAppsScan } from './app-scan.ts';
import { lockApp } from './apps.ts';
import type { Queryable } from './database.ts';
import { removeDeliveries } from './deliveries.ts';
import { NoRow, statement } from './statement.ts';

/** What stands up to `eventOrder` was written on this day or before; days are counted from 1970. */
const EventDay = Type.Object({ day: Type.Integer(), eventOrder: Type.Integer() });

const Note = Type.Object({ packageName: Type.String(), eventOrder: Type.Integer() });
type EventDayNote = Static<typeof Note>;

// Served by the primary keys: that of app_counter in its order, the other once for each app.
const selectUnnoted = statement({
  name: 'select_unnoted_event_orders',
  text: `select c.package_name as "packageName", c.event_order as "eventOrder" from app_counter c
    left join lateral (
      select d.day, d.event_order from event_day d where d.package_name = c.package_name
      order by d.day desc limit 1) as d on true
    where c.package_name > $1 and c.event_order > coalesce(d.event_order, 0) and coalesce(d.day, -1) < $2
    order by c.package_name limit $3`,
  row: Note,
});

const insertDays = statement({
  name: 'insert_event_days',
  text: `insert into event_day (package_name, day, event_order)
    select package_name, $3, event_order from unnest($1::text[], $2::bigint[]) as n (package_name, event_order)
    on conflict do nothing`,
  row: NoRow,
});

// Served by the primary key. It is always the newest that is held: whoever passes it over leaves the app alone.
const holdAgedDay = statement({
  name: 'hold_aged_event_day',
  text: `select day, event_order as "eventOrder" from event_day
    where package_name = $1
      and day = (select max(day) from event_day where package_name = $1 and day <= $2)
    for update skip locked`,
  row: EventDay,
});

const holdDays = statement({
  name: 'hold_event_days',
  text: 'select day, event_order as "eventOrder" from event_day where package_name = $1 for update',
  row: EventDay,
});

// Served by the primary key.
const selectOldestOrder = statement({
  name: 'select_oldest_event_order',
  text: 'select event_order as "eventOrder" from event where package_name = $1 order by event_order limit 1',
  row: Type.Object({ eventOrder: Type.Integer() }),
});

// Orders have no gaps: the range bounds the number of rows. Served by the primary key.
const deleteEvents = statement({
  name: 'delete_aged_event',
  text: 'delete from event where package_name = $1 and event_order between $2 and $3',
  row: NoRow,
});

// An older one that somebody else holds may be held by who waits for the newest: it goes with the next removal.
const deleteDays = statement({
  name: 'delete_event_days',
  text: `delete from event_day where package_name = $1 and day = any(array(
    select day from event_day where package_name = $1 and day <= $2 for update skip locked))`,
  row: NoRow,
});

/** Apps to which something has happened since their last note, unless that is of this day. Only reads. */
export function listUnnoted(queryable: Queryable, day: number, scan: AppScan): Promise<EventDayNote[]> {
  return queryable.rows(selectUnnoted, [scan.after, day, scan.limit]);
}

/** Notes where the counters of apps stand on a day; what another server has noted meanwhile stays. */
export async function insertEventDays(
  queryable: Queryable,
  day: number,
  notes: readonly EventDayNote[],
): Promise<void> {
  const packageNames = notes.map(({ packageName }) => packageName);
  const orders = notes.map(({ eventOrder }) => eventOrder);
  await queryable.rows(insertDays, [packageNames, orders, day]);
}

/** Apps that have events of a day or before. */
export const listAppsWithAgedEvents = agedAppsScan({
  name: 'select_apps_with_aged_events',
  table: 'event_day',
  age: 'day',
  comparison: '<=',
});

/**
 * Removes the oldest events of an app that were written on this day or before, at most `limit`. True when there may
 * be more; false also while another server removes them.
 */
export async function removeAgedEvents(
  transaction: Queryable,
  { packageName, untilDay, limit }: { packageName: string; untilDay: number; limit: number },
): Promise<boolean> {
  const [held] = await transaction.rows(holdAgedDay, [packageName, untilDay]);
  if (held === undefined) return false;
  const [oldest] = await transaction.rows(selectOldestOrder, [packageName]);
  const first = oldest?.eventOrder ?? held.eventOrder + 1;
  const last = Math.min(held.eventOrder, first + limit - 1);
  if (first <= last) {
    await removeDeliveries(transaction, { packageName, until: last });
    await transaction.rows(deleteEvents, [packageName, first, last]);
  }
  if (last < held.eventOrder) return true;
  await transaction.rows(deleteDays, [packageName, held.day]);
  return false;
}

/**
 * Keeps others from removing events of an app, and from removing or giving up their deliveries, until the transaction
 * ends: each takes them in an order of its own. Of a new app there is no note to hold, so that the app is held too.
 */
export async function holdEventDays(transaction: Queryable, packageName: string): Promise<void> {
  await lockApp(transaction, packageName);
  await transaction.rows(holdDays, [packageName]);
}
