// The events of a range of months of a subscription.

import { EventType, ExpiryReason } from '@opentill/contract/events.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';
import type { MonthsOfSubscription } from '../subscriptions/subscriptions.ts';

const SubscriptionEventRow = Type.Object({
  order: Type.Integer(),
  type: EventType,
  eventTime: Type.Integer(),
  purchaseId: Type.String(),
  periodIndex: Type.Integer(),
  madeBy: Type.String(),
  requestId: Type.String(),
  expiryReason: nullable(ExpiryReason),
  isImported: Type.Boolean(),
});
type SubscriptionEventRow = Static<typeof SubscriptionEventRow>;

// Served by purchase_period, and by event_of_purchase backwards once for each month.
const selectEvents = statement({
  name: 'select_subscription_events',
  text: `
    select e.event_order as "order", e.type, e.event_time as "eventTime", p.purchase_id as "purchaseId",
      p.period_index as "periodIndex", e.made_by as "madeBy", e.request_id as "requestId",
      e.expiry_reason as "expiryReason", e.is_imported as "isImported"
    from purchase p cross join lateral (
      select * from event e where e.package_name = $1 and e.purchase_id = p.purchase_id
      order by e.event_order desc limit $5) as e
    where p.package_name = $1 and p.first_purchase_id = $2 and p.period_index between $3 and $4
    order by e.event_order desc limit $5`,
  row: SubscriptionEventRow,
});

/** The newest `limit` events of a range of months, newest first. */
export function listSubscriptionEvents(
  queryable: Queryable,
  of: MonthsOfSubscription,
  limit: number,
): Promise<SubscriptionEventRow[]> {
  const { packageName, firstPurchaseId, fromPeriod, toPeriod } = of;
  return queryable.rows(selectEvents, [packageName, firstPurchaseId, fromPeriod, toPeriod, limit]);
}
