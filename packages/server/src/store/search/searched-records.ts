// Finds records of all apps by one exact id, or by the start of their name.

import { searchHitsMax } from '@opentill/contract/search.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../statements/statement.ts';

/** The fields of a hit. */
const FoundRow = Type.Object({
  packageName: Type.String(),
  id: Type.String(),
  about: nullable(Type.String()),
  time: nullable(Type.Integer()),
  subject: nullable(Type.String()),
});
export type FoundRow = Static<typeof FoundRow>;

const EventCandidate = Type.Object({
  ...Type.Omit(FoundRow, ['id']).properties,
  order: Type.Integer(),
  requestId: Type.String(),
  hasDelivery: Type.Boolean(),
});
type EventCandidate = Static<typeof EventCandidate>;

// Reads all of app_counter, since the index starts with the package name; for each app, served by the primary keys of event
// and webhook_delivery.
const selectEventsAt = statement({
  name: 'search_events_at',
  text: `select e.package_name as "packageName", e.type as about, e.event_time as time, e.purchase_id as subject,
      e.event_order as "order", e.request_id as "requestId", d.event_order is not null as "hasDelivery"
    from app_counter c
    cross join lateral (
      select * from event where package_name = c.package_name and event_order = $1 limit 1) as e
    left join webhook_delivery d on d.package_name = e.package_name and d.event_order = e.event_order
    where c.event_order >= $1`,
  row: EventCandidate,
});

// Served by operator_action_of_request.
const selectActionsOf = statement({
  name: 'search_actions',
  text: `select package_name as "packageName", request_id as id, operation_id as about, made_at as time, subject
    from operator_action where request_id = $1
    order by made_at, package_name, action_order limit ${searchHitsMax}`,
  row: FoundRow,
});

// Served by request_log_of_request.
const selectCallsOf = statement({
  name: 'search_logged_requests',
  text: `select package_name as "packageName", request_id as id, operation_id as about, called_at as time,
      null as subject
    from request_log where request_id = $1 order by called_at, package_name limit ${searchHitsMax}`,
  row: FoundRow,
});

// A disabled app is found by its whole name only. Served by the primary key, in its order.
const selectAppsFrom = statement({
  name: 'search_apps',
  text: `select package_name as "packageName", package_name as id, name as about, null as time, null as subject
    from app where package_name >= $1 and package_name < $2 and (disabled_at is null or package_name = $1)
    order by package_name limit ${searchHitsMax}`,
  row: FoundRow,
});

// Served by product_by_id, in its order.
const selectProductsFrom = statement({
  name: 'search_products',
  text: `select package_name as "packageName", product_id as id, title as about, null as time, null as subject
    from product where product_id >= $1 and product_id < $2
    order by product_id, package_name limit ${searchHitsMax}`,
  row: FoundRow,
});

/** The events of all apps at an order; the id of an event identifies one of them. */
export function listEventsAt(queryable: Queryable, order: number): Promise<EventCandidate[]> {
  return queryable.rows(selectEventsAt, [order]);
}

/** Follows every character of a package name and of a product id in the order of bytes. */
const afterLastCharacter = '~';

const searches = [
  { kind: 'action', sql: selectActionsOf, isStart: false },
  { kind: 'request', sql: selectCallsOf, isStart: false },
  { kind: 'app', sql: selectAppsFrom, isStart: true },
  { kind: 'product', sql: selectProductsFrom, isStart: true },
] as const;

type KindOfRecord = (typeof searches)[number]['kind'];

/** The actions and logged calls with this request id, and the apps and products whose name starts with it, by bytes. */
export async function searchRecords(
  queryable: Queryable,
  text: string,
): Promise<(FoundRow & { readonly kind: KindOfRecord })[]> {
  const found: (FoundRow & { readonly kind: KindOfRecord })[] = [];
  for (const { kind, sql, isStart } of searches) {
    const rows = await queryable.rows(sql, isStart ? [text, text + afterLastCharacter] : [text]);
    found.push(...rows.map((row) => ({ ...row, kind })));
  }
  return found;
}
