// Lists deliveries for developers, and reopens or abandons failed ones.

import { timestampMin } from '@opentill/contract/fields.ts';
import type { DeliveryState } from '@opentill/contract/webhooks.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { type Page, type PageRequest, pagedList } from '../statements/paged-list.ts';
import { nullable, statement } from '../statements/statement.ts';
import { DeliveryRow, deliveryColumns } from './delivery-rounds.ts';
import { arrangeSubjects } from './subject-order.ts';
import { lockWebhook } from './webhooks.ts';

export const DeliveryPosition = Type.Object({
  eventOrder: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
type DeliveryPosition = Static<typeof DeliveryPosition>;

// Served by the primary key, backwards, also with `delivered`, because most deliveries are; with `undelivered` by
// webhook_delivery_failed, backwards.
const deliveriesOfApp = pagedList({
  name: 'deliveries',
  row: DeliveryRow,
  position: DeliveryPosition,
  order: { eventOrder: 'd.event_order' },
  direction: 'desc',
  filters: {
    packageName: 'd.package_name = $packageName',
    delivered: "d.state = 'delivered'",
    undelivered: "d.state = $undelivered and d.state <> 'delivered'",
  },
  text: ({ where, page }) => `select ${deliveryColumns} from webhook_delivery d where ${where} ${page}`,
});

// Served by event_of_purchase, backwards, and by the primary key once for each event of the purchase: a delivery is
// removed with its event.
const deliveriesOfPurchase = pagedList({
  name: 'deliveries_of_purchase',
  row: DeliveryRow,
  position: DeliveryPosition,
  order: { eventOrder: 'e.event_order' },
  direction: 'desc',
  filters: {
    packageName: 'e.package_name = $packageName and d.package_name = $packageName',
    purchaseId: 'e.purchase_id = $purchaseId',
    state: 'd.state = $state',
  },
  text: ({ where, page }) => `select ${deliveryColumns} from event e
    join webhook_delivery d on d.package_name = e.package_name and d.event_order = e.event_order
    where ${where} ${page}`,
});

interface DeliveryFilter {
  readonly packageName: string;
  readonly state?: DeliveryState | undefined;
  readonly purchaseId?: string | undefined;
}

/** Newest first. */
export function listDeliveries(
  queryable: Queryable,
  { packageName, state, purchaseId }: DeliveryFilter,
  page: PageRequest<DeliveryPosition>,
): Promise<Page<DeliveryRow, DeliveryPosition>> {
  if (purchaseId !== undefined)
    return deliveriesOfPurchase(queryable, { packageName, purchaseId, state }, page);
  const filter = state === 'delivered' ? { delivered: true } : { undelivered: state };
  return deliveriesOfApp(queryable, { packageName, ...filter }, page);
}

// Served by the primary key.
const selectDelivery = statement({
  name: 'select_delivery',
  text: `select ${deliveryColumns} from webhook_delivery d where d.package_name = $1 and d.event_order = $2`,
  row: DeliveryRow,
});

export async function findDelivery(
  queryable: Queryable,
  { packageName, order }: { readonly packageName: string; readonly order: number },
): Promise<DeliveryRow | undefined> {
  return (await queryable.rows(selectDelivery, [packageName, order]))[0];
}

// Served by webhook_delivery_open.
const selectEarliestOpen = statement({
  name: 'select_earliest_open_delivery',
  text: `select d.event_id as id, d.event_order as "order" from webhook_delivery d
    where d.package_name = $1 and d.subject = $2 and d.state in ('waiting', 'held') and d.delivered_time is null
    order by d.event_order limit 1`,
  row: Type.Object({ id: Type.String(), order: Type.Integer() }),
});

/** The delivery that the held ones of a subject wait for. */
export async function findEarliestOpen(
  queryable: Queryable,
  { packageName, subject }: { readonly packageName: string; readonly subject: string },
): Promise<{ readonly id: string; readonly order: number } | undefined> {
  return (await queryable.rows(selectEarliestOpen, [packageName, subject]))[0];
}

// A delivery before its first attempt has not failed. Served by webhook_delivery_failed, once for each state.
const selectFailedOrders = statement({
  name: 'select_failed_orders',
  text: `select d.event_order as "order" from (
      (select event_order, event_time from webhook_delivery
        where package_name = $1 and state = 'dead' and event_order > $2 and event_time >= $3
        order by event_order limit $4)
      union all
      (select event_order, event_time from webhook_delivery
        where package_name = $1 and state = 'waiting' and event_order > $2 and event_time >= $3
          and schedule_attempts > 0
        order by event_order limit $4)) as d
    order by d.event_order limit $4`,
  row: Type.Object({ order: Type.Integer() }),
});

interface FailedSince {
  readonly packageName: string;
  /** Exclusive. */
  readonly after: number;
  /** An instant of the app: events since then. */
  readonly since: number;
  readonly limit: number;
}

/** The orders of deliveries that failed and are dead or wait for their next attempt, in order. */
export async function listFailedOrders(
  queryable: Queryable,
  { packageName, after, since, limit }: FailedSince,
): Promise<number[]> {
  const rows = await queryable.rows(selectFailedOrders, [packageName, after, since, limit]);
  return rows.map(({ order }) => order);
}

// A delivered event is sent again independently of the others; an undelivered one keeps the order of its subject.
// Served by the primary key.
const reopenDeliveries = statement({
  name: 'reopen_deliveries',
  text: `update webhook_delivery d set
      state = case when d.delivered_time is null and d.subject is not null then 'held' else 'waiting' end,
      due_time = case when d.delivered_time is null and d.subject is not null then null else $3::bigint end,
      schedule_start = null, schedule_attempts = 0
    where d.package_name = $1 and d.event_order = any($2::bigint[]) and d.state <> 'held'
    returning d.subject`,
  row: Type.Object({ subject: nullable(Type.String()) }),
});

/**
 * Restarts the schedules of deliveries, with an attempt as soon as the order of their subjects allows one, and returns
 * their number. The transaction has locked the webhook.
 */
export async function reopen(
  transaction: Queryable,
  {
    packageName,
    orders,
    now,
  }: { readonly packageName: string; readonly orders: readonly number[]; readonly now: number },
): Promise<number> {
  const reopened = await transaction.rows(reopenDeliveries, [packageName, orders, now]);
  const subjects = reopened.map(({ subject }) => subject);
  await arrangeSubjects(transaction, { packageName, subjects, now });
  return reopened.length;
}

// Held ones first, so that each still has a waiting one before it if only some become dead. Served by webhook_delivery_failed,
// in its order, and by the primary key; a join would read the whole app.
const updateAbandoned = statement({
  name: 'abandon_deliveries',
  text: `with abandoned as (
      update webhook_delivery d set state = 'dead', due_time = null
      where d.package_name = $1 and d.event_order = any(array(
        select event_order from webhook_delivery
        where package_name = $1 and state in ('waiting', 'held') order by state, event_order limit $2))
      returning d.event_order)
    select count(*) as count from abandoned`,
  row: Type.Object({ count: Type.Integer() }),
});

/** Marks at most `limit` open deliveries of an app as dead and returns their number. The transaction has locked the webhook. */
export async function abandonDeliveries(
  transaction: Queryable,
  packageName: string,
  limit: number,
): Promise<number> {
  const [row] = await transaction.rows(updateAbandoned, [packageName, limit]);
  return row?.count ?? 0;
}

// Served by the primary key.
const deleteDeliveries = statement({
  name: 'delete_aged_deliveries',
  text: `with gone as (
      delete from webhook_delivery where package_name = $1 and event_order <= $2 returning subject, state)
    select distinct subject from gone where state in ('waiting', 'held') and subject is not null`,
  row: Type.Object({ subject: Type.String() }),
});

/** Removes the deliveries of events up to an order; deliveries that waited for one of them become due. */
export async function removeDeliveries(
  transaction: Queryable,
  { packageName, until }: { readonly packageName: string; readonly until: number },
): Promise<void> {
  await lockWebhook(transaction, packageName);
  const open = await transaction.rows(deleteDeliveries, [packageName, until]);
  const subjects = open.map(({ subject }) => subject);
  await arrangeSubjects(transaction, { packageName, subjects, now: timestampMin });
}
