// A subscription of another store: what its record leaves out follows from its first start, its end and its last month.

import { firstCalendar, nearestPeriod, periodEnd } from './calendar-period.ts';
import { decideVoidOfMonth, type Subscription, type SubscriptionMonth } from './subscription.ts';

/** What another store knows of a subscription. */
export type MovedSubscription = Pick<
  Subscription,
  | 'firstPurchaseId'
  | 'productId'
  | 'firstStart'
  | 'timeZone'
  | 'period'
  | 'price'
  | 'currency'
  | 'developerPayload'
  | 'autoRenewing'
  | 'expiryTime'
> &
  Partial<Pick<Subscription, 'firstPeriod' | 'renewalPrice' | 'cancelReason' | 'cancelledTime'>>;

type LastMonth = Pick<SubscriptionMonth, 'purchaseId' | 'periodIndex' | 'startTime' | 'expiryTime'>;

/**
 * The period that ends with the subscription, as the only one with the first purchase id; those before it are counted by the
 * calendar. undefined: without `lastStartTime`, the end has to be a number of periods after the first start.
 */
export function lastMonthOfMoved(moved: MovedSubscription, lastStartTime?: number): LastMonth | undefined {
  const { firstPurchaseId: purchaseId, firstStart, expiryTime } = moved;
  const first = firstCalendar(moved);
  const anchor = { ...moved, ...first.anchor };
  if (lastStartTime !== undefined) {
    const isFirst = lastStartTime === firstStart;
    const periodIndex = isFirst ? 0 : Math.max(1, nearestPeriod(anchor, lastStartTime) + 1);
    return { purchaseId, periodIndex, startTime: lastStartTime, expiryTime };
  }
  if (expiryTime === first.expiryTime) {
    return { purchaseId, periodIndex: 0, startTime: firstStart, expiryTime };
  }
  const periodIndex = nearestPeriod(anchor, expiryTime);
  if (periodIndex < 1 || periodEnd(anchor, periodIndex) !== expiryTime) return undefined;
  const startTime = periodIndex === 1 ? first.expiryTime : periodEnd(anchor, periodIndex - 1);
  return { purchaseId, periodIndex, startTime, expiryTime };
}

/** The subscription with its last period. The void of that period ends both. */
export function withLastMonth(
  moved: MovedSubscription,
  month: Omit<SubscriptionMonth, 'voidedTime' | 'voidReason'> &
    Partial<Pick<SubscriptionMonth, 'voidedTime' | 'voidReason'>>,
): { readonly subscription: Subscription; readonly month: SubscriptionMonth } {
  const { firstStart, expiryTime, autoRenewing } = moved;
  const subscription: Subscription = {
    ...{ firstPeriod: null, renewalPrice: null, cancelReason: null, cancelledTime: null, ...moved },
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
