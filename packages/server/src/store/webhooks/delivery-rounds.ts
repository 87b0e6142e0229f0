// The reads of a round of deliveries of one webhook, and the one write of its results (docs/decisions/events.md).

import { ClockMode } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { JobDatabase, Queryable } from '../connection/database.ts';
import { EventRow, selectEventsText } from '../events/event-rows.ts';
import { Bytes, nullable, statement } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, rowShape, selectList } from '../statements/table.ts';
import { webhookDelivery } from '../tables/webhooks.ts';
import { arrangeSubjects } from './subject-order.ts';

/** A lease that this server acquired. */
export interface WebhookLease {
  readonly packageName: string;
  readonly holder: string;
}

const Endpoint = Type.Object({
  url: Type.String(),
  secret: Bytes,
  previousSecret: nullable(Bytes),
  previousSecretUntil: nullable(Type.Integer()),
  /** All events up to this order have a delivery or need none. */
  cursorOrder: Type.Integer(),
  /** The order of the app's last event: all events up to it are visible to later statements. */
  lastEventOrder: Type.Integer(),
  /** An instant of the app; null if no delivery waits. */
  nextDueTime: nullable(Type.Integer()),
  isDisabled: Type.Boolean(),
  databaseNow: Type.Integer(),
  /** Null for an app without a clock, as in production. */
  appClock: nullable(
    Type.Object({
      mode: ClockMode,
      rate: Type.Number(),
      realTime: Type.Integer(),
      appTime: Type.Integer(),
      leaseUntil: nullable(Type.Integer()),
    }),
  ),
});
export type Endpoint = Static<typeof Endpoint>;

// Served by the primary keys, and by webhook_delivery_due, in its order.
const selectEndpoint = statement({
  name: 'select_webhook_endpoint',
  text: `select w.url, w.secret, w.previous_secret as "previousSecret",
      w.previous_secret_until as "previousSecretUntil", w.cursor_order as "cursorOrder",
      c.event_order as "lastEventOrder", a.disabled_at is not null as "isDisabled",
      (select d.due_time from webhook_delivery d
        where d.package_name = $1 and d.state = 'waiting' order by d.due_time limit 1) as "nextDueTime",
      database_time() as "databaseNow", case when k.package_name is not null then json_build_object('mode', k.mode,
        'rate', k.rate, 'realTime', k.real_time, 'appTime', k.app_time, 'leaseUntil', k.lease_until) end as "appClock"
    from webhook w join app_counter c on c.package_name = w.package_name
    join app a on a.package_name = w.package_name
    left join app_clock k on k.package_name = w.package_name
    where w.package_name = $1 and c.package_name = $1 and w.lease_holder = $2`,
  row: Endpoint,
});

/** Returns undefined if the lease is lost. */
export async function readEndpoint(
  queryable: Queryable,
  { packageName, holder }: WebhookLease,
): Promise<Endpoint | undefined> {
  return (await queryable.rows(selectEndpoint, [packageName, holder]))[0];
}

const NewEvent = Type.Object({
  ...EventRow.properties,
  /** An earlier event of the same subject is open: this one has to wait for it. */
  isBehind: Type.Boolean(),
});
/** An event that has no delivery. */
export type NewEvent = Static<typeof NewEvent>;

// Served by the primary keys of event and webhook_delivery, and by webhook_delivery_open, once for each event: a limit keeps
// PostgreSQL from joining them, which is quadratic before a new app's rows are analyzed. The subject, whose events stay in
// order, is the subscription or else the purchase.
const selectNewEvents = statement({
  name: 'select_new_events',
  text: `${selectEventsText(
    `select e.* from event e
      where e.package_name = $1 and e.event_order > $2 and (
        select d.event_order from webhook_delivery d
        where d.package_name = $1 and d.event_order = e.event_order limit 1) is null
      order by e.event_order limit $3`,
    {
      app: '$1',
      more: `, exists (select from webhook_delivery d
      where d.package_name = $1 and d.subject = coalesce(e.first_purchase_id, e.purchase_id)
        and d.event_order < e.event_order and d.state in ('waiting', 'held') and d.delivered_time is null) as "isBehind"`,
    },
  )} order by "order"`,
  row: NewEvent,
});

interface NewEvents {
  readonly packageName: string;
  readonly after: number;
  readonly limit: number;
}

/** Lists the first events of an app after an order that have no delivery, in order. */
export function listNewEvents(
  queryable: Queryable,
  { packageName, after, limit }: NewEvents,
): Promise<NewEvent[]> {
  return queryable.rows(selectNewEvents, [packageName, after, limit]);
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

interface DueDeliveries {
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
  { packageName, until, limit }: DueDeliveries,
): Promise<DueDelivery[]> {
  const deliveries = await queryable.rows(selectDueDeliveries, [packageName, until, limit]);
  if (deliveries.length === 0) return [];
  const orders = deliveries.map(({ eventOrder }) => eventOrder);
  const events = await listEventsOfDeliveries(queryable, { packageName, orders });
  const ofOrder = new Map(events.map((event) => [event.order, event]));
  return deliveries.map((delivery) => ({ delivery, event: ofOrder.get(delivery.eventOrder) }));
}

/** A delivery after an attempt, or before the first if it has to wait. */
export type DeliveryRecord = Omit<DeliveryRow, 'packageName'>;

const recordNames = columnNames(webhookDelivery);

/** The delivery was rescheduled while a failing attempt was in flight: keep the new schedule. */
const isReopened = `excluded.state <> 'delivered' and d.schedule_attempts < excluded.schedule_attempts - 1`;
const unlessReopened = (column: string) =>
  `${column} = case when ${isReopened} then d.${column} else excluded.${column} end`;

// Served by the primary keys.
const writeRecords = statement({
  name: 'write_delivery_records',
  text: `with moved as (
      update webhook set cursor_order = $3, lease_until = $4::bigint,
        lease_holder = case when $4::bigint is null then null else lease_holder end
      where package_name = $1 and lease_holder = $2 returning package_name
    ), written as (
      insert into webhook_delivery as d (package_name, ${recordNames})
      select $1, ${recordNames} from unnest(${arrayParameters(webhookDelivery, 5)}) as r (${recordNames})
      where exists (select from moved)
      on conflict (package_name, event_order) do update set ${unlessReopened('state')},
        ${unlessReopened('due_time')}, ${unlessReopened('schedule_start')}, ${unlessReopened('schedule_attempts')},
        delivered_time = coalesce(d.delivered_time, excluded.delivered_time), attempts = excluded.attempts
    )
    select package_name as "packageName" from moved`,
  row: Type.Object({ packageName: Type.String() }),
});

interface RoundResult {
  /** After the write, all events up to this order have a delivery or need none. */
  readonly cursorOrder: number;
  /** Real time; null releases the lease. */
  readonly leaseUntil: number | null;
  readonly records: readonly DeliveryRecord[];
  /** The app's instant, at which deliveries that waited for the records become due; undefined if none did. */
  readonly releasedAt: number | undefined;
}

/** Returns false, with nothing written, if the lease is lost. */
export async function writeRound(
  database: JobDatabase,
  { packageName, holder }: WebhookLease,
  { cursorOrder, leaseUntil, records, releasedAt }: RoundResult,
): Promise<boolean> {
  const values = [packageName, holder, cursorOrder, leaseUntil, ...columnArrays(webhookDelivery, records)];
  if (releasedAt === undefined) return (await database.rows(writeRecords, values)).length > 0;
  return database.transaction({ packageName }, async (transaction) => {
    if ((await transaction.rows(writeRecords, values)).length === 0) return false;
    const subjects = records.map(({ subject }) => subject);
    const written = records.map(({ eventOrder }) => eventOrder);
    await arrangeSubjects(transaction, { packageName, subjects, now: releasedAt, written });
    return true;
  });
}
