// The rows in which events are read, each with the values of its record.

import { EventConsent, EventType, ExpiryReason, VoidCause } from '@opentill/contract/events.ts';
import Type, { type Static } from 'typebox';
import { nullable } from '../statements/statement.ts';
import { event } from '../tables/ledger.ts';

export const EventRow = Type.Object({
  order: Type.Integer(),
  type: EventType,
  eventTime: Type.Integer(),
  /** Null for a test event, like productId. */
  purchaseId: nullable(Type.String()),
  /** Null unless the purchase is a period of a subscription. */
  firstPurchaseId: nullable(Type.String()),
  productId: nullable(Type.String()),
  madeBy: Type.String(),
  requestId: Type.String(),
  /** The period right after the change; null for other events. */
  record: nullable(event.columns.record.schema),
  /** Null unless the subscription expired. */
  expiryReason: nullable(ExpiryReason),
  /** Null unless the subscription was extended. */
  previousExpiryTime: nullable(Type.Integer()),
  /** Null unless a payment was declined. */
  attempt: nullable(Type.Integer()),
  /** Null unless the subscription started, or this price was changed. */
  renewalPrice: nullable(Type.Integer()),
  previousRenewalPrice: nullable(Type.Integer()),
  /** Null unless it is a cancel or a reactivation that is about consent. */
  consent: nullable(EventConsent),
  /** The purchase as it is now: null for a test event and for fields that do not apply. */
  purchaseTime: nullable(Type.Integer()),
  developerPayload: nullable(Type.String()),
  consumedTime: nullable(Type.Integer()),
  price: nullable(Type.Integer()),
  currency: nullable(Type.String()),
  voidCause: nullable(VoidCause),
  refundAmount: nullable(Type.Integer()),
});
export type EventRow = Static<typeof EventRow>;

const eventColumns = `e.event_order as "order", e.type, e.event_time as "eventTime", e.purchase_id as "purchaseId",
  e.first_purchase_id as "firstPurchaseId", e.product_id as "productId", e.made_by as "madeBy",
  e.request_id as "requestId", e.record, e.expiry_reason as "expiryReason",
  e.previous_expiry_time as "previousExpiryTime", e.attempt, e.renewal_price as "renewalPrice",
  e.previous_renewal_price as "previousRenewalPrice", e.consent, p.purchase_time as "purchaseTime",
  p.developer_payload as "developerPayload", p.consumed_time as "consumedTime", p.price, p.currency,
  p.void_cause as "voidCause", p.refund_amount as "refundAmount"`;

/**
 * SQL that selects an EventRow for each row of the SQL `events` of the app in the SQL `app`. Served by the primary
 * key of purchase, at most once per event.
 */
export function selectEventsText(events: string, { app, more = '' }: { app: string; more?: string }): string {
  return `select ${eventColumns}${more} from (${events}) as e
    left join lateral (
      select p.purchase_time, p.developer_payload, p.consumed_time, p.price, p.currency, p.void_cause,
        p.refund_amount from purchase p
      where p.package_name = ${app} and p.purchase_id = e.purchase_id
      limit 1) as p on true`;
}

/**
 * SQL for the first `limit` events of the app $1 that match `condition`, in order. Served by the primary key of event in its
 * order, which the limits enforce whatever the statistics are.
 */
export function eventsText({ condition, limit }: { condition: string; limit: string }): string {
  return `${selectEventsText(
    `select * from event where package_name = $1 and ${condition} order by event_order limit ${limit}`,
    { app: '$1' },
  )} order by e.event_order`;
}
