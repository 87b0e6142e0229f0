// Finds records of all apps by one exact id, or by the start of their name.

import { ActionOperation, ActionSubject } from '@opentill/contract/actions.ts';
import { EventType } from '@opentill/contract/events.ts';
import { DeliveryState } from '@opentill/contract/webhooks.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';

const EventFields = Type.Object({
  packageName: Type.String(),
  type: EventType,
  eventTime: Type.Integer(),
  purchaseId: nullable(Type.String()),
});

// The indexes start with the package name, so that each app is searched, as in searchPurchases.
const ofEachApp = (table: string, condition: string) => `from app_counter c
  cross join lateral (
    select * from ${table} where package_name = c.package_name and event_order = $1 and ${condition} limit 1) as e
  where c.event_order >= $1`;

const eventColumns = `e.package_name as "packageName", e.event_time as "eventTime", e.purchase_id as "purchaseId"`;

const EventCandidate = Type.Object({ ...EventFields.properties, requestId: Type.String() });
export type EventCandidate = Static<typeof EventCandidate>;

// Served by the primary key of event, once for each app.
const selectEventsAt = statement({
  name: 'search_events_at',
  text: `select ${eventColumns}, e.type, e.request_id as "requestId" ${ofEachApp('event', 'true')}`,
  row: EventCandidate,
});

const FoundDelivery = Type.Object({ ...EventFields.properties, state: DeliveryState });

// Served by the primary key of webhook_delivery, once for each app.
const selectDeliveriesOf = statement({
  name: 'search_deliveries',
  text: `select ${eventColumns}, e.event_type as type, e.state ${ofEachApp('webhook_delivery', 'event_id = $2')}`,
  row: FoundDelivery,
});

const FoundAction = Type.Object({
  packageName: Type.String(),
  operationId: ActionOperation,
  time: Type.Integer(),
  subject: nullable(ActionSubject),
});

// Served by operator_action_of_request.
const selectActionsOf = statement({
  name: 'search_actions',
  text: `select package_name as "packageName", operation_id as "operationId", made_at as time, subject
    from operator_action where request_id = $1 order by made_at, package_name, action_order limit $2`,
  row: FoundAction,
});

const FoundCall = Type.Object({
  packageName: Type.String(),
  operationId: Type.String(),
  time: Type.Integer(),
  httpStatus: nullable(Type.Integer()),
});

// Served by request_log_of_request.
const selectCallsOf = statement({
  name: 'search_logged_requests',
  text: `select package_name as "packageName", operation_id as "operationId", called_at as time,
      http_status as "httpStatus"
    from request_log where request_id = $1 order by called_at, package_name limit $2`,
  row: FoundCall,
});

const FoundApp = Type.Object({ packageName: Type.String(), name: nullable(Type.String()) });

// Served by app_by_name, in its order.
const selectAppsFrom = statement({
  name: 'search_apps',
  text: `select package_name as "packageName", name from app
    where package_name ~>=~ $1 and package_name ~<~ $2 order by package_name using ~<~ limit $3`,
  row: FoundApp,
});

const FoundProduct = Type.Object({
  packageName: Type.String(),
  productId: Type.String(),
  title: nullable(Type.String()),
});

// Served by product_by_id, in its order.
const selectProductsFrom = statement({
  name: 'search_products',
  text: `select package_name as "packageName", product_id as "productId", title from product
    where product_id ~>=~ $1 and product_id ~<~ $2 order by product_id using ~<~, package_name limit $3`,
  row: FoundProduct,
});

/** The events of all apps at an order; the id of an event identifies one of them. */
export function listEventsAt(queryable: Queryable, order: number): Promise<EventCandidate[]> {
  return queryable.rows(selectEventsAt, [order]);
}

/** The deliveries with the id of the event at this order. */
export function findDeliveries(
  queryable: Queryable,
  { order, id }: { readonly order: number; readonly id: string },
): Promise<Static<typeof FoundDelivery>[]> {
  return queryable.rows(selectDeliveriesOf, [order, id]);
}

/** At most `limit` actions of a call. */
export function findActions(
  queryable: Queryable,
  requestId: string,
  limit: number,
): Promise<Static<typeof FoundAction>[]> {
  return queryable.rows(selectActionsOf, [requestId, limit]);
}

/** At most `limit` entries of request logs. */
export function findLoggedCalls(
  queryable: Queryable,
  requestId: string,
  limit: number,
): Promise<Static<typeof FoundCall>[]> {
  return queryable.rows(selectCallsOf, [requestId, limit]);
}

/** Follows every character of a package name and of a product id in the order of bytes. */
const afterLastCharacter = '~';

/** At most `limit` apps whose package name starts with `start`, in the order of bytes. */
export function findAppsByStart(
  queryable: Queryable,
  start: string,
  limit: number,
): Promise<Static<typeof FoundApp>[]> {
  return queryable.rows(selectAppsFrom, [start, start + afterLastCharacter, limit]);
}

/** At most `limit` products whose id starts with `start`, in the order of bytes. */
export function findProductsByStart(
  queryable: Queryable,
  start: string,
  limit: number,
): Promise<Static<typeof FoundProduct>[]> {
  return queryable.rows(selectProductsFrom, [start, start + afterLastCharacter, limit]);
}
