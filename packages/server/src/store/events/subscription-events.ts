// The events of a range of months of a subscription.

import { EventType, ExpiryReason } from '@opentill/contract/events.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';

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
export type SubscriptionEventRow = Static<typeof SubscriptionEventRow>;

// Served by purchase_period, and by event_of_purchase backwards once for each month.
const selectEvents = statement({
  name: 'select_events_of_subscription',
  text: `select e.event_order as "order", e.type, e.event_time as "eventTime", p.purchase_id as "purchaseId",
      p.period_index as "periodIndex", e.made_by as "madeBy", e.request_id as "requestId",
      e.expiry_reason as "expiryReason", e.is_imported as "isImported"
    from purchase p cross join lateral (
      select * from event e
      where e.package_name = $1 and e.purchase_id = p.purchase_id and e.event_order < $5
      order by e.event_order desc limit $6
    ) as e
    where p.package_name = $1 and p.first_purchase_id = $2 and p.period_index between $3 and $4
    order by e.event_order desc limit $6`,
  row: SubscriptionEventRow,
});

interface EventRange {
  readonly packageName: string;
  readonly firstPurchaseId: string;
  readonly fromPeriod: number;
  /** Inclusive. */
  readonly toPeriod: number;
  /** An event order (exclusive). */
  readonly before: number;
}

/** Lists the events of these months before an order, newest first, at most `limit`. */
export function listSubscriptionEvents(
  queryable: Queryable,
  of: EventRange,
  limit: number,
): Promise<SubscriptionEventRow[]> {
  const { packageName, firstPurchaseId, fromPeriod, toPeriod, before } = of;
  return queryable.rows(selectEvents, [packageName, firstPurchaseId, fromPeriod, toPeriod, before, limit]);
}
