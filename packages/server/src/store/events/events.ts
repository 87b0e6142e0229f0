// Events: one row for each change of a purchase or subscription, in the order of the app's counter row.

import type { EventConsent, EventType, ExpiryReason } from '@opentill/contract/events.ts';
import Type, { type Static } from 'typebox';
import { purchaseTimeAheadMsMax } from '../../domain/purchases/purchase.ts';
import type { PeriodRecord } from '../../domain/subscriptions/subscription.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, pick } from '../statements/table.ts';
import { event } from '../tables/ledger.ts';

/** The author and the request of a change, which are stored with it. */
export interface Author {
  /** `operator:<key name>`, `app` or `job:<name>`. */
  readonly madeBy: string;
  readonly requestId: string;
}

/** The author of a call, with the address of its client; null for a change that no call made. */
export interface CallAuthor extends Author {
  readonly clientAddress: string | null;
}

/** The ids are null for a test event only; the first purchase id is also null for a one-time purchase. */
export interface NewEvent {
  readonly type: EventType;
  readonly eventTime: number;
  readonly purchaseId: string | null;
  readonly firstPurchaseId: string | null;
  readonly productId: string | null;
  /** The period right after the change; null for a one-time purchase (event-rows.ts). */
  readonly record: PeriodRecord | null;
  /** Only for an expiry. */
  readonly expiryReason?: ExpiryReason;
  /** Only for an extension. */
  readonly previousExpiryTime?: number;
  /** The number of the attempt, only for a declined payment. */
  readonly attempt?: number | undefined;
  /** Only for the start of a subscription and a change of this price. */
  readonly renewalPrice?: number;
  /** Only for a change of the renewal price. */
  readonly previousRenewalPrice?: number;
  /** Only for a cancel that asks for consent, and for the reactivation that follows it. */
  readonly consent?: EventConsent | undefined;
}

// Served by the primary key.
const advanceEventOrder = statement({
  name: 'advance_event_order',
  text: `update app_counter set event_order = event_order + $2 where package_name = $1
    returning event_order as "eventOrder"`,
  row: Type.Object({ eventOrder: Type.Integer() }),
});

const VoidPosition = Type.Object({ voidOrder: Type.Integer(), voidedTime: Type.Integer() });

// A last void that a wrong clock has dated far ahead is forgotten. Served by the primary key.
const advanceVoidOrder = statement({
  name: 'advance_void_order',
  text: `update app_counter set void_order = void_order + 1,
      last_voided_time = greatest($2::bigint, case when last_voided_time <= $3 then last_voided_time end)
    where package_name = $1
    returning void_order as "voidOrder", last_voided_time as "voidedTime"`,
  row: VoidPosition,
});

const newEvent = pick(
  event,
  'type',
  'eventTime',
  'purchaseId',
  'firstPurchaseId',
  'productId',
  'record',
  'expiryReason',
  'previousExpiryTime',
  'attempt',
  'renewalPrice',
  'previousRenewalPrice',
  'consent',
);
const newNames = columnNames(newEvent);

// Checked by the primary key.
const insertEvents = statement({
  name: 'insert_events',
  text: `insert into event (package_name, event_order, made_by, request_id, ${newNames})
    select $1, $2 + position, $3, $4, ${newNames}
    from unnest(${arrayParameters(newEvent, 5)}) with ordinality as e (${newNames}, position)`,
  row: NoRow,
});

// Served by event_of_purchase.
const selectSoldRenewalPrice = statement({
  name: 'select_sold_renewal_price',
  text: `select renewal_price as "renewalPrice" from event
    where package_name = $1 and purchase_id = $2 and type = 'subscription.started' order by event_order limit 1`,
  row: Type.Object({ renewalPrice: nullable(Type.Integer()) }),
});

/** The renewalPrice with which a subscription started; undefined if that event is not retained. */
export async function findSoldRenewalPrice(
  queryable: Queryable,
  { packageName, firstPurchaseId }: { readonly packageName: string; readonly firstPurchaseId: string },
): Promise<number | undefined> {
  const [started] = await queryable.rows(selectSoldRenewalPrice, [packageName, firstPurchaseId]);
  return started?.renewalPrice ?? undefined;
}

/**
 * Writes events with consecutive orders and returns the order of the last one, 0 for none. Locks the counter row: call it
 * last in a transaction.
 */
export async function appendEvents(
  transaction: Queryable,
  packageName: string,
  events: readonly NewEvent[],
  author: Author,
): Promise<number> {
  if (events.length === 0) return 0;
  const [counter] = await transaction.rows(advanceEventOrder, [packageName, events.length]);
  if (counter === undefined) throw new Error(`The app ${packageName} has no counter row.`);
  await transaction.rows(insertEvents, [
    packageName,
    counter.eventOrder - events.length,
    author.madeBy,
    author.requestId,
    ...columnArrays(newEvent, events),
  ]);
  return counter.eventOrder;
}

/**
 * Assigns the next void order of the app with its time: `now`, an instant of the app in ms that was read after `lockVoids`,
 * or the time of the previous void if that is later, so that orders, times and commits agree. A previous void more than a
 * minute ahead does not count: a wrong clock has dated it. Locks the counter row: only `appendEvents` may lock after it.
 */
export async function assignVoidOrder(
  transaction: Queryable,
  packageName: string,
  now: number,
): Promise<Static<typeof VoidPosition>> {
  const values = [packageName, now, now + purchaseTimeAheadMsMax];
  const [position] = await transaction.rows(advanceVoidOrder, values);
  if (position === undefined) throw new Error(`The app ${packageName} has no counter row.`);
  return position;
}
