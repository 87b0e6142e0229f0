// Consistent reads of an app's events, for readers that follow them (docs/decisions/events.md).

import Type, { type Static } from 'typebox';
import type { FeedSlice } from '../../domain/events/event-feed.ts';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../statements/statement.ts';
import { EventRow, eventsText } from './event-rows.ts';

const { order, type, eventTime, madeBy, requestId } = EventRow.properties;

/** The counter row with one of the events, or with none. */
const SliceRow = Type.Object({
  ...EventRow.properties,
  lastOrder: Type.Integer(),
  order: nullable(order),
  type: nullable(type),
  eventTime: nullable(eventTime),
  madeBy: nullable(madeBy),
  requestId: nullable(requestId),
});

// One statement has one snapshot: no event is committed between its reads of the counter and of the events.
// Served by the primary keys.
const selectSlice = statement({
  name: 'select_event_slice',
  text: `select c.event_order as "lastOrder", e.* from app_counter c
    left join (${eventsText({ condition: 'event_order >= $2', limit: '$3' })}) as e on true
    where c.package_name = $1 order by e."order"`,
  row: SliceRow,
});

const OrderRow = Type.Object({ packageName: Type.String(), lastOrder: Type.Integer() });

// Served by the primary key.
const selectEventOrders = statement({
  name: 'select_event_orders',
  text: `select package_name as "packageName", event_order as "lastOrder" from app_counter
    where package_name = any($1::text[])`,
  row: OrderRow,
});

/** Reads at most `limit` events of an app from an order on; undefined for an unknown app. */
export async function readEventSlice(
  queryable: Queryable,
  of: { readonly packageName: string; readonly from: number; readonly limit: number },
): Promise<FeedSlice<EventRow> | undefined> {
  const rows = await queryable.rows(selectSlice, [of.packageName, of.from, of.limit]);
  const [first] = rows;
  return first && { lastOrder: first.lastOrder, events: rows.filter(hasEvent) };
}

function hasEvent(row: Static<typeof SliceRow>): row is Static<typeof SliceRow> & EventRow {
  return row.order !== null;
}

/** The order of the last event of each of these apps, for one app or with `Database.storeWide`. */
export async function findEventOrders(
  queryable: Queryable,
  packageNames: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryable.rows(selectEventOrders, [packageNames]);
  return new Map(rows.map(({ packageName, lastOrder }) => [packageName, lastOrder]));
}
