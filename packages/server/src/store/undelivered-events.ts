// Events on their way to webhooks: those that nobody has looked at yet, and those of deliveries that are due.
// Reads of many apps share a statement.

import { DeliveryAttempt } from '@opentill/contract/webhooks.ts';
import Type, { type Static } from 'typebox';
import { coalesced } from './coalesced.ts';
import type { Queryable } from './database.ts';
import { EventRow, shownEventsText } from './event-rows.ts';
import { nullable, statement } from './statement.ts';

/** Apps that share a statement: with up to 256 events each, what one statement gives stays a few megabytes. */
const batchLimits = { batchMax: 20, inFlightMax: 1 } as const;

const FreshEvent = Type.Object({
  ...EventRow.properties,
  packageName: Type.String(),
  /** An earlier event of the same subject is open: this one has to wait for it. */
  isBehind: Type.Boolean(),
});
/** An event that has no delivery. */
export type FreshEvent = Static<typeof FreshEvent>;

/** What stays in order: the subscription that an event is about, or the purchase. */
export const subjectSql = 'coalesce(e.first_purchase_id, e.purchase_id)';

// Served by the primary keys of event and webhook_delivery, and by webhook_delivery_open, once for each event.
const selectFreshEvents = statement({
  name: 'select_fresh_events',
  text: `select wanted.package_name as "packageName", fresh.*
    from unnest($1::text[], $2::bigint[], $3::integer[]) as wanted (package_name, after, most)
    cross join lateral (${shownEventsText(
      `select e.* from event e
        where e.package_name = wanted.package_name and e.event_order > wanted.after
          and not exists (select from webhook_delivery d
            where d.package_name = e.package_name and d.event_order = e.event_order)
        order by e.event_order limit wanted.most`,
      `, exists (select from webhook_delivery d
        where d.package_name = e.package_name and d.subject = ${subjectSql} and d.event_order < e.event_order
          and d.state in ('waiting', 'held') and d.delivered_time is null) as "isBehind"`,
    )}) as fresh
    order by wanted.package_name, fresh."order"`,
  row: FreshEvent,
});

export interface FreshRequest {
  readonly packageName: string;
  readonly after: number;
  readonly limit: number;
}

/** Reads the first events of an app after an order that have no delivery, in order. */
export function freshEventReader(queryable: Queryable): (request: FreshRequest) => Promise<FreshEvent[]> {
  return coalesced(batchLimits, async (requests: readonly FreshRequest[]) => {
    const rows = await queryable.rows(selectFreshEvents, [
      requests.map(({ packageName }) => packageName),
      requests.map(({ after }) => after),
      requests.map(({ limit }) => limit),
    ]);
    const ofApp = Map.groupBy(rows, ({ packageName }) => packageName);
    return requests.map(({ packageName }) => ofApp.get(packageName) ?? []);
  });
}

export const DeliveryRow = Type.Object({
  packageName: Type.String(),
  order: Type.Integer(),
  eventId: Type.String(),
  eventType: EventRow.properties.type,
  eventTime: Type.Integer(),
  purchaseId: nullable(Type.String()),
  subject: nullable(Type.String()),
  state: Type.Union([
    Type.Literal('delivered'),
    Type.Literal('waiting'),
    Type.Literal('held'),
    Type.Literal('dead'),
  ]),
  dueTime: nullable(Type.Integer()),
  scheduleStart: nullable(Type.Integer()),
  scheduleAttempts: Type.Integer(),
  deliveredTime: nullable(Type.Integer()),
  attempts: Type.Array(DeliveryAttempt),
});
export type DeliveryRow = Static<typeof DeliveryRow>;

export const deliveryColumns = `d.package_name as "packageName", d.event_order as "order", d.event_id as "eventId",
  d.event_type as "eventType", d.event_time as "eventTime", d.purchase_id as "purchaseId", d.subject, d.state,
  d.due_time as "dueTime", d.schedule_start as "scheduleStart", d.schedule_attempts as "scheduleAttempts",
  d.delivered_time as "deliveredTime", d.attempts`;

// Served by webhook_delivery_due, in its order.
const selectDueDeliveries = statement({
  name: 'select_due_deliveries',
  text: `select due.* from unnest($1::text[], $2::bigint[], $3::integer[]) as wanted (package_name, until, most)
    cross join lateral (
      select ${deliveryColumns} from webhook_delivery d
      where d.package_name = wanted.package_name and d.state = 'waiting' and d.due_time <= wanted.until
      order by d.due_time, d.event_order limit wanted.most) as due`,
  row: DeliveryRow,
});

const EventOfApp = Type.Object({ ...EventRow.properties, packageName: Type.String() });

// Served by the primary key of event.
const selectEventsOfDeliveries = statement({
  name: 'select_events_of_deliveries',
  text: `select shown.* from (${shownEventsText(
    `select e.* from unnest($1::text[], $2::bigint[]) as wanted (package_name, event_order)
      join event e on e.package_name = wanted.package_name and e.event_order = wanted.event_order
        and e.package_name = any($3::text[])`,
    ', e.package_name as "packageName"',
  )}) as shown`,
  row: EventOfApp,
});

export interface DueRequest {
  readonly packageName: string;
  /** The app's instant; what is due at it is listed too. */
  readonly until: number;
  readonly limit: number;
}

export interface DueDelivery {
  readonly delivery: DeliveryRow;
  /** undefined when the event is older than what is kept. */
  readonly event: EventRow | undefined;
}

/** Reads the deliveries of an app that are due, longest due first, each with its event. */
export function dueDeliveryReader(queryable: Queryable): (request: DueRequest) => Promise<DueDelivery[]> {
  return coalesced(batchLimits, async (requests: readonly DueRequest[]) => {
    const deliveries = await queryable.rows(selectDueDeliveries, [
      requests.map(({ packageName }) => packageName),
      requests.map(({ until }) => until),
      requests.map(({ limit }) => limit),
    ]);
    const events = deliveries.length === 0 ? new Map() : await readEvents(queryable, deliveries);
    const due = deliveries.map((delivery) => ({ delivery, event: events.get(keyOf(delivery)) }));
    const ofApp = Map.groupBy(due, ({ delivery }) => delivery.packageName);
    return requests.map(({ packageName }) => ofApp.get(packageName) ?? []);
  });
}

async function readEvents(
  queryable: Queryable,
  deliveries: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, EventRow>> {
  const packageNames = deliveries.map(({ packageName }) => packageName);
  const orders = deliveries.map(({ order }) => order);
  const distinct = [...new Set(packageNames)];
  const events = await queryable.rows(selectEventsOfDeliveries, [packageNames, orders, distinct]);
  return new Map(events.map((event) => [keyOf(event), event]));
}

function keyOf({ packageName, order }: { readonly packageName: string; readonly order: number }): string {
  return `${packageName}/${order}`;
}
