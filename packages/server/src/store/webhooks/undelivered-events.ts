// Reads events for webhooks: new events without a delivery, and the events of due deliveries.

import Type, { type Static } from 'typebox';
import { coalesced } from '../connection/coalesced.ts';
import type { JobDatabase, Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { EventRow, selectEventsText } from '../events/event-rows.ts';
import { rowShape, selectList } from '../tables/table.ts';
import { webhookDelivery } from '../tables/webhooks.ts';

const FreshEvent = Type.Object({
  ...EventRow.properties,
  packageName: Type.String(),
  /** An earlier event of the same subject is open: this one has to wait for it. */
  isBehind: Type.Boolean(),
});
/** An event that has no delivery. */
export type FreshEvent = Static<typeof FreshEvent>;

/** The subject whose events stay in order: the subscription, or else the purchase. */
const subjectSql = 'coalesce(e.first_purchase_id, e.purchase_id)';

/** SQL for the first events of an app after an order that have no delivery, in order. */
function freshText({ app, after, most }: { app: string; after: string; most: string }): string {
  return selectEventsText(
    `select e.* from event e
      where e.package_name = ${app} and e.event_order > ${after} and not exists (
        select from webhook_delivery d where d.package_name = ${app} and d.event_order = e.event_order)
      order by e.event_order limit ${most}`,
    {
      app,
      more: `, e.package_name as "packageName", exists (select from webhook_delivery d
      where d.package_name = ${app} and d.subject = ${subjectSql} and d.event_order < e.event_order
        and d.state in ('waiting', 'held') and d.delivered_time is null) as "isBehind"`,
    },
  );
}

// Both are served by the primary keys of event and webhook_delivery, and by webhook_delivery_open, once for each
// event. On a cluster, each app has a statement of its own.
const selectFreshEvents = statement({
  name: 'select_fresh_events',
  text: `select fresh.* from unnest($1::text[], $2::bigint[], $3::integer[]) as wanted (package_name, after, most)
    cross join lateral (${freshText({ app: 'wanted.package_name', after: 'wanted.after', most: 'wanted.most' })}
    ) as fresh order by "packageName", "order"`,
  row: FreshEvent,
});
const selectFreshEventsOfApp = statement({
  name: 'select_fresh_events_of_app',
  text: `${freshText({ app: '$1', after: '$2', most: '$3' })} order by "order"`,
  row: FreshEvent,
});

export interface FreshRequest {
  readonly packageName: string;
  readonly after: number;
  readonly limit: number;
}

/** Few apps share a statement, so that a result with 256 events of each stays at a few megabytes. */
const freshLimits = { batchMax: 20, inFlightMax: 1 } as const;

/** Reads the first events of an app after an order that have no delivery, in order. */
export function freshEventReader(database: JobDatabase): (request: FreshRequest) => Promise<FreshEvent[]> {
  if (database.isDistributed) {
    return ({ packageName, after, limit }) =>
      database.rows(selectFreshEventsOfApp, [packageName, after, limit]);
  }
  return coalesced(database, freshLimits, async (requests: readonly FreshRequest[]) => {
    const rows = await database.rows(selectFreshEvents, [
      requests.map(({ packageName }) => packageName),
      requests.map(({ after }) => after),
      requests.map(({ limit }) => limit),
    ]);
    const ofApp = Map.groupBy(rows, ({ packageName }) => packageName);
    return requests.map(({ packageName }) => ofApp.get(packageName) ?? []);
  });
}

export const DeliveryRow = rowShape(webhookDelivery);
export type DeliveryRow = Static<typeof DeliveryRow>;

export const deliveryColumns = selectList(webhookDelivery, 'd');

// Served by webhook_delivery_due, in its order.
const selectDueDeliveries = statement({
  name: 'select_due_deliveries',
  text: `select ${deliveryColumns} from webhook_delivery d
    where d.package_name = $1 and d.state = 'waiting' and d.due_time <= $2
    order by d.due_time, d.event_order limit $3`,
  row: DeliveryRow,
});

// Served by the primary key of event.
const selectEventsOfDeliveries = statement({
  name: 'select_events_of_deliveries',
  text: selectEventsText('select * from event where package_name = $1 and event_order = any($2::bigint[])', {
    app: '$1',
  }),
  row: EventRow,
});

/** The events at these orders that are retained. */
export function listEventsOfDeliveries(
  queryable: Queryable,
  { packageName, orders }: { readonly packageName: string; readonly orders: readonly number[] },
): Promise<EventRow[]> {
  return queryable.rows(selectEventsOfDeliveries, [packageName, orders]);
}

export interface DueRequest {
  readonly packageName: string;
  /** The app's instant (inclusive). */
  readonly until: number;
  readonly limit: number;
}

export interface DueDelivery {
  readonly delivery: DeliveryRow;
  /** undefined: the event is older than the retention time. */
  readonly event: EventRow | undefined;
}

/** Lists the due deliveries of an app, longest due first, each with its event. */
export async function listDueDeliveries(
  queryable: Queryable,
  { packageName, until, limit }: DueRequest,
): Promise<DueDelivery[]> {
  const deliveries = await queryable.rows(selectDueDeliveries, [packageName, until, limit]);
  if (deliveries.length === 0) return [];
  const orders = deliveries.map(({ eventOrder }) => eventOrder);
  const events = await listEventsOfDeliveries(queryable, { packageName, orders });
  const ofOrder = new Map(events.map((event) => [event.order, event]));
  return deliveries.map((delivery) => ({ delivery, event: ofOrder.get(delivery.eventOrder) }));
}
