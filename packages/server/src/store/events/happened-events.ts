// Lists and counts the events of one call.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';
import { EventRow, eventsText } from './event-rows.ts';
import { findEventOrders } from './event-slices.ts';

// Other calls write few events in the meantime. Served by the primary key of event.
const selectHappenedEvents = statement({
  name: 'select_happened_events',
  text: eventsText({ condition: 'event_order > $2 and request_id = $3', limit: '$4' }),
  row: EventRow,
});

/** Event orders that one statement scans. */
const countedAtOnce = 100_000;

// Served by the primary key.
const countEvents = statement({
  name: 'count_happened_events',
  text: `select count(*) as count from event
    where package_name = $1 and event_order > $2 and event_order <= $3 and request_id = $4`,
  row: Type.Object({ count: Type.Integer() }),
});

/** The order of the app's last event; 0 before the first. */
export async function findEventOrder(queryable: Queryable, packageName: string): Promise<number> {
  return (await findEventOrders(queryable, [packageName])).get(packageName) ?? 0;
}

interface EventsOfCall {
  readonly packageName: string;
  /** An event order (exclusive). */
  readonly after: number;
  readonly requestId: string;
}

/** Events of one call, in their order, at most `limit`. */
export function listHappenedEvents(
  queryable: Queryable,
  of: EventsOfCall & { readonly limit: number },
): Promise<EventRow[]> {
  return queryable.rows(selectHappenedEvents, [of.packageName, of.after, of.requestId, of.limit]);
}

export async function countHappenedEvents(queryable: Queryable, of: EventsOfCall): Promise<number> {
  const { packageName, requestId } = of;
  const last = await findEventOrder(queryable, packageName);
  let count = 0;
  for (let after = of.after; after < last; after += countedAtOnce) {
    const until = Math.min(last, after + countedAtOnce);
    const [counted] = await queryable.rows(countEvents, [packageName, after, until, requestId]);
    count += counted?.count ?? 0;
  }
  return count;
}
