// A subscription of another store: what its record leaves out follows from its first start, its end and its last month.

import { monthsBetween, periodEnd } from './calendar-period.ts';
import { decideVoidOfMonth, type Subscription, type SubscriptionMonth } from './subscription.ts';

/** What another store knows of a subscription. */
export type MovedSubscription = Pick<
  Subscription,
  | 'firstPurchaseId'
  | 'productId'
  | 'firstStart'
  | 'timeZone'
  | 'price'
  | 'currency'
  | 'developerPayload'
  | 'autoRenewing'
  | 'expiryTime'
> &
  Partial<Pick<Subscription, 'cancelReason' | 'cancelledTime'>>;

type LastMonth = Pick<SubscriptionMonth, 'purchaseId' | 'periodIndex' | 'startTime' | 'expiryTime'>;

/**
 * The month that ends with the subscription, as the only one with the first purchase id; those before it are counted by the
 * calendar. undefined: without `lastStartTime`, the end has to be a number of months after the first start.
 */
export function lastMonthOfMoved(moved: MovedSubscription, lastStartTime?: number): LastMonth | undefined {
  const { firstPurchaseId: purchaseId, firstStart, timeZone, expiryTime } = moved;
  const anchor = { anchorTime: firstStart, anchorIndex: -1, timeZone };
  if (lastStartTime !== undefined) {
    const before = lastStartTime === firstStart ? 0 : Math.max(1, monthsBetween(anchor, lastStartTime));
    return { purchaseId, periodIndex: before, startTime: lastStartTime, expiryTime };
  }
  const periodIndex = monthsBetween(anchor, expiryTime) - 1;
  if (periodIndex < 0 || periodEnd(anchor, periodIndex) !== expiryTime) return undefined;
  return { purchaseId, periodIndex, startTime: periodEnd(anchor, periodIndex - 1), expiryTime };
}

/** The subscription with its last month. The void of that month ends both. */
export function withLastMonth(
  moved: MovedSubscription,
  month: Omit<SubscriptionMonth, 'voidedTime' | 'voidReason'> &
    Partial<Pick<SubscriptionMonth, 'voidedTime' | 'voidReason'>>,
): { readonly subscription: Subscription; readonly month: SubscriptionMonth } {
  const { firstStart, expiryTime, autoRenewing, cancelReason = null, cancelledTime = null } = moved;
  const subscription: Subscription = {
    ...{ ...moved, cancelReason, cancelledTime },
    anchorTime: firstStart,
    anchorIndex: -1,
    nextPaymentTime: autoRenewing ? expiryTime : null,
    lastPeriodIndex: month.periodIndex,
    lastPurchaseId: month.purchaseId,
    lastStartTime: month.startTime,
    terminatedTime: null,
  };
  const { voidedTime, voidReason } = month;
  const paid = { ...month, voidedTime: null, voidReason: null };
  if (voidedTime == null || voidReason == null) return { subscription, month: paid };
  return { subscription, ...decideVoidOfMonth(subscription, paid, { voidedTime, reason: voidReason }) };
}
