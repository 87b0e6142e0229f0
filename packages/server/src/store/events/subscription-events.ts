// The events of a range of months of a subscription.

import { EventOrder, EventType, ExpiryReason } from '@opentill/contract/events.ts';
import Type, { type Static } from 'typebox';
import { pagedList } from '../connection/paged-list.ts';
import { nullable } from '../connection/statement.ts';

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

export const SubscriptionEventPosition = Type.Object({
  order: Type.Integer({ ...EventOrder, maximum: Number.MAX_SAFE_INTEGER }),
});

/**
 * The events of a range of months, newest first. Served by purchase_period, and by event_of_purchase backwards once for
 * each month.
 */
export const listSubscriptionEvents = pagedList({
  name: 'subscription_events',
  row: SubscriptionEventRow,
  position: SubscriptionEventPosition,
  order: { order: 'e.event_order' },
  direction: 'desc',
  filters: {
    packageName: 'p.package_name = $packageName',
    firstPurchaseId: 'p.first_purchase_id = $firstPurchaseId',
    fromPeriod: 'p.period_index >= $fromPeriod',
    toPeriod: 'p.period_index <= $toPeriod',
  },
  text: ({ filters, after, page }) => `
    select e.event_order as "order", e.type, e.event_time as "eventTime", p.purchase_id as "purchaseId",
      p.period_index as "periodIndex", e.made_by as "madeBy", e.request_id as "requestId",
      e.expiry_reason as "expiryReason", e.is_imported as "isImported"
    from purchase p cross join lateral (
      select * from event e where e.package_name = $packageName and e.purchase_id = p.purchase_id and ${after} ${page}
    ) as e
    where ${filters} ${page}`,
});
