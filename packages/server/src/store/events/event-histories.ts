// The history of a purchase and of a subscription: their events with the reasons of the calls that made them, their deliveries
// to the webhook, and the charges that they report.

import { ReasonCode } from '@opentill/contract/actions.ts';
import { EventConsent, EventType, ExpiryReason } from '@opentill/contract/events.ts';
import { DeliveryAttempt, DeliveryState } from '@opentill/contract/webhooks.ts';
import Type, { type Static } from 'typebox';
import type { PeriodsOfSubscription } from '../../domain/subscriptions/subscription.ts';
import { nullable, type Queryable, statement } from '../statements/statement.ts';

const HistoryRow = Type.Object({
  order: Type.Integer(),
  type: EventType,
  eventTime: Type.Integer(),
  madeBy: Type.String(),
  requestId: Type.String(),
  expiryReason: nullable(ExpiryReason),
  renewalPrice: nullable(Type.Integer()),
  previousRenewalPrice: nullable(Type.Integer()),
  consent: nullable(EventConsent),
  isImported: Type.Boolean(),
  reasonCode: nullable(ReasonCode),
  note: nullable(Type.String()),
  ticket: nullable(Type.String()),
  /** Null if the event has no delivery, and so is what follows. */
  deliveryState: nullable(DeliveryState),
  dueTime: nullable(Type.Integer()),
  attempts: nullable(Type.Integer()),
  lastAttempt: nullable(DeliveryAttempt),
});
export type HistoryRow = Static<typeof HistoryRow>;

const columns = `e.event_order as "order", e.type, e.event_time as "eventTime", e.made_by as "madeBy",
  e.request_id as "requestId", e.expiry_reason as "expiryReason", e.renewal_price as "renewalPrice",
  e.previous_renewal_price as "previousRenewalPrice", e.consent, e.is_imported as "isImported",
  a.reason_code as "reasonCode", a.note, a.ticket, d.state as "deliveryState", d.due_time as "dueTime",
  json_array_length(d.attempts) as attempts, d.attempts -> -1 as "lastAttempt"`;

/** The call that made the change of an event, and its delivery, once for each event. */
const facts = `left join lateral (
    select reason_code, note, ticket from operator_action
    where package_name = $1 and request_id = e.request_id order by action_order limit 1) as a on true
  left join webhook_delivery d on d.package_name = $1 and d.event_order = e.event_order`;

// Served by event_of_purchase, backwards, operator_action_of_request and the primary key of webhook_delivery.
const selectHistory = statement({
  name: 'select_history',
  text: `select ${columns} from (
      select * from event where package_name = $1 and purchase_id = $2 order by event_order desc limit $3) as e
    ${facts} order by e.event_order`,
  row: HistoryRow,
});

const SubscriptionHistoryRow = Type.Object({
  ...HistoryRow.properties,
  purchaseId: Type.String(),
  periodIndex: Type.Integer(),
  /** The period that was charged and the number of the attempt; null unless the event reports a charge. */
  chargedPeriod: nullable(Type.Integer()),
  attempt: nullable(Type.Integer()),
});
type SubscriptionHistoryRow = Static<typeof SubscriptionHistoryRow>;

// A transaction that settles an attempt gives its event the same instant. Served by purchase_period, by event_of_purchase
// backwards once for each period, by operator_action_of_request, and by the primary keys of webhook_delivery and renewal_attempt.
const selectSubscriptionHistory = statement({
  name: 'select_subscription_history',
  text: `select ${columns}, e.purchase_id as "purchaseId", e.period_index as "periodIndex",
      t.period_index as "chargedPeriod", t.attempt
    from (
      select e.*, p.period_index,
        p.period_index + case e.type when 'subscription.renewed' then 0 when 'subscription.payment_failed' then 1 end
          as charged_period
      from purchase p cross join lateral (
        select * from event e where e.package_name = $1 and e.purchase_id = p.purchase_id
        order by e.event_order desc limit $5) as e
      where p.package_name = $1 and p.first_purchase_id = $2 and p.period_index between $3 and $4
      order by e.event_order desc limit $5) as e
    ${facts}
    left join renewal_attempt t on t.package_name = $1 and t.first_purchase_id = $2
      and t.period_index = e.charged_period and t.settled_time = e.event_time
    order by e.event_order desc`,
  row: SubscriptionHistoryRow,
});

/** Lists the last changes of one purchase, oldest first, at most `limit`. */
export function listHistory(
  queryable: Queryable,
  purchase: { packageName: string; purchaseId: string },
  limit: number,
): Promise<HistoryRow[]> {
  return queryable.rows(selectHistory, [purchase.packageName, purchase.purchaseId, limit]);
}

/** The newest `limit` changes of a range of periods, newest first. */
export function listSubscriptionHistory(
  queryable: Queryable,
  of: PeriodsOfSubscription,
  limit: number,
): Promise<SubscriptionHistoryRow[]> {
  const { packageName, firstPurchaseId, fromPeriod, toPeriod } = of;
  return queryable.rows(selectSubscriptionHistory, [
    packageName,
    firstPurchaseId,
    fromPeriod,
    toPeriod,
    limit,
  ]);
}
