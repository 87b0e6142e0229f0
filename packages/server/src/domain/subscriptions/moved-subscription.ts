// A subscription of another store: what its record leaves out follows from its first start, its end and its last period.

import { firstCalendar, nearestPeriod, periodEnd } from './calendar-period.ts';
import { decideVoidOfPeriod, type PaidPeriod, type Subscription } from './subscription.ts';

/** What another store knows of a subscription. */
export type MovedSubscription = Pick<
  Subscription,
  | 'firstPurchaseId'
  | 'productId'
  | 'firstStartTime'
  | 'timeZone'
  | 'period'
  | 'price'
  | 'currency'
  | 'developerPayload'
  | 'autoRenewing'
  | 'expiryTime'
> &
  Partial<Pick<Subscription, 'firstPeriod' | 'renewalPrice' | 'cancelReason' | 'cancelledTime' | 'consent'>>;

type LastPeriod = Pick<PaidPeriod, 'purchaseId' | 'periodIndex' | 'startTime' | 'expiryTime'>;

/**
 * The period that ends with the subscription, as the only one with the first purchase id; those before it are counted by the
 * calendar. undefined: without `lastStartTime`, the end has to be a number of periods after the first start.
 */
export function lastPeriodOfMoved(moved: MovedSubscription, lastStartTime?: number): LastPeriod | undefined {
  const { firstPurchaseId: purchaseId, firstStartTime, expiryTime } = moved;
  const first = firstCalendar(moved);
  const anchor = { ...moved, ...first.anchor };
  if (lastStartTime !== undefined) {
    const isFirst = lastStartTime === firstStartTime;
    const periodIndex = isFirst ? 0 : Math.max(1, nearestPeriod(anchor, lastStartTime) + 1);
    return { purchaseId, periodIndex, startTime: lastStartTime, expiryTime };
  }
  if (expiryTime === first.expiryTime) {
    return { purchaseId, periodIndex: 0, startTime: firstStartTime, expiryTime };
  }
  const periodIndex = nearestPeriod(anchor, expiryTime);
  if (periodIndex < 1 || periodEnd(anchor, periodIndex) !== expiryTime) return undefined;
  const startTime = periodIndex === 1 ? first.expiryTime : periodEnd(anchor, periodIndex - 1);
  return { purchaseId, periodIndex, startTime, expiryTime };
}

/** The subscription with its last period. The void of that period ends both. */
export function withLastPeriod(
  moved: MovedSubscription,
  paidPeriod: Omit<PaidPeriod, 'voidedTime' | 'voidReason'> &
    Partial<Pick<PaidPeriod, 'voidedTime' | 'voidReason'>>,
): { readonly subscription: Subscription; readonly paidPeriod: PaidPeriod } {
  const { firstStartTime, expiryTime, autoRenewing } = moved;
  const subscription: Subscription = {
    ...{ firstPeriod: null, renewalPrice: null, cancelReason: null, cancelledTime: null, consent: null },
    ...moved,
    anchorTime: firstStartTime,
    anchorIndex: -1,
    nextPaymentTime: autoRenewing ? expiryTime : null,
    lastPeriodIndex: paidPeriod.periodIndex,
    lastPurchaseId: paidPeriod.purchaseId,
    lastStartTime: paidPeriod.startTime,
    terminatedTime: null,
  };
  const { voidedTime, voidReason } = paidPeriod;
  const paid = { ...paidPeriod, voidedTime: null, voidReason: null };
  if (voidedTime == null || voidReason == null) return { subscription, paidPeriod: paid };
  return { subscription, ...decideVoidOfPeriod(subscription, paid, { voidedTime, reason: voidReason }) };
}
