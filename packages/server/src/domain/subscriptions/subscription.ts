// A subscription and its paid periods, and how a payment or a void changes them (docs/decisions/subscriptions.md).

import type { Consent } from '@opentill/contract/fields.ts';
import type { LastRecurringPurchaseDetails, RecurringPurchaseDetails } from '@opentill/contract/resources.ts';
import type { ProductId, PurchaseId } from '../identifiers.ts';
import type { CancelReason } from '../purchases/purchase.ts';
import { type CalendarAnchor, firstCalendar, periodEnd, type SoldCalendar } from './calendar-period.ts';

/** Identified by its first purchase; product, currency, periods, zone and payload never change. Instants are in ms. */
export interface Subscription extends CalendarAnchor {
  readonly firstPurchaseId: PurchaseId;
  readonly productId: ProductId;
  readonly firstStartTime: number;
  /** The price of the first period. */
  readonly price: number;
  /** The price of the periods that are not paid yet, if they follow the first; null for the same. */
  readonly renewalPrice: number | null;
  /** The length of the first period; null for that of the others. */
  readonly firstPeriod: string | null;
  readonly currency: string;
  readonly developerPayload: string;
  readonly autoRenewing: boolean;
  /** Null exactly when `cancelledTime` is; both are null while `autoRenewing`. */
  readonly cancelReason: CancelReason | null;
  readonly cancelledTime: number | null;
  /** What became of the consent that the store asked for; null while `autoRenewing` and once terminated. */
  readonly consent: Consent | null;
  readonly expiryTime: number;
  /** The next attempt: `expiryTime`, or later after a decline. Null exactly without `autoRenewing`. */
  readonly nextPaymentTime: number | null;
  readonly lastPeriodIndex: number;
  readonly lastPurchaseId: PurchaseId;
  /** The start of the newest period; stored, because changed rules of the time zone would move it. */
  readonly lastStartTime: number;
  /** When it was ended by a cancel while payment was outstanding, or by a void of the newest period. */
  readonly terminatedTime: number | null;
}

/** One paid period: a purchase of its own. */
export interface PaidPeriod {
  readonly purchaseId: PurchaseId;
  /** From 0. */
  readonly periodIndex: number;
  readonly startTime: number;
  readonly expiryTime: number;
  readonly price: number;
  readonly developerPayload: string;
  readonly voidedTime: number | null;
  readonly voidReason: CancelReason | null;
}

/** A period as events store it: its price, which no change of the subscription changes, is that of its purchase. */
export type PeriodRecord = Omit<RecurringPurchaseDetails, 'price'>;

type SubscriptionState = 'active' | 'autoPaymentOff' | 'paymentOutstanding' | 'expired' | 'terminated';

/** At exactly `expiryTime` the period is over: payment is due then, or the subscription has expired. */
export function subscriptionStateAt(subscription: Subscription, now: number): SubscriptionState {
  if (subscription.terminatedTime !== null) return 'terminated';
  const isOver = now >= subscription.expiryTime;
  if (subscription.autoRenewing) return isOver ? 'paymentOutstanding' : 'active';
  return isOver ? 'expired' : 'autoPaymentOff';
}

/** The price of a period that is not paid yet, by its index. */
export function priceOf(
  { price, renewalPrice }: Pick<Subscription, 'price' | 'renewalPrice'>,
  periodIndex: number,
): number {
  return periodIndex === 0 ? price : (renewalPrice ?? price);
}

/** The price of each later period. */
export function renewalPriceOf(subscription: Pick<Subscription, 'price' | 'renewalPrice'>): number {
  return priceOf(subscription, 1);
}

/** The subscription that its first purchase starts, and that purchase as a period. */
export function startSubscription(
  from: Omit<SoldCalendar, 'firstStartTime'> &
    Pick<
      Subscription,
      'productId' | 'price' | 'renewalPrice' | 'firstPeriod' | 'currency' | 'developerPayload'
    > & { readonly purchaseId: PurchaseId; readonly startTime: number },
): { readonly subscription: Subscription; readonly paidPeriod: PaidPeriod } {
  const { purchaseId, startTime, ...kept } = from;
  const { anchor, expiryTime } = firstCalendar({ ...kept, firstStartTime: startTime });
  const subscription: Subscription = {
    ...kept,
    ...anchor,
    firstPurchaseId: purchaseId,
    firstStartTime: startTime,
    autoRenewing: true,
    cancelReason: null,
    cancelledTime: null,
    consent: null,
    expiryTime,
    nextPaymentTime: expiryTime,
    lastPeriodIndex: 0,
    lastPurchaseId: purchaseId,
    lastStartTime: startTime,
    terminatedTime: null,
  };
  return { subscription, paidPeriod: paidNow(subscription) };
}

/**
 * What a successful charge buys: the next period, from the stored expiryTime of the previous one, however late the
 * payment. After a cancel during the charge the period starts and nothing follows.
 */
export function decidePaidPeriod(
  subscription: Subscription,
  purchaseId: PurchaseId,
): { readonly changed: Subscription; readonly paidPeriod: PaidPeriod } {
  const { expiryTime: lastStartTime } = subscription;
  const lastPeriodIndex = subscription.lastPeriodIndex + 1;
  const expiryTime = periodEnd(subscription, lastPeriodIndex);
  const nextPaymentTime = subscription.autoRenewing ? expiryTime : null;
  const newest = { lastPeriodIndex, lastPurchaseId: purchaseId, lastStartTime };
  const changed: Subscription = { ...subscription, ...newest, expiryTime, nextPaymentTime };
  return { changed, paidPeriod: paidNow(changed) };
}

/** The newest period at its payment, whose price is the present one of the subscription. */
function paidNow(subscription: Subscription): PaidPeriod {
  return { ...newestPeriod(subscription), price: priceOf(subscription, subscription.lastPeriodIndex) };
}

function newestPeriod(subscription: Subscription): Omit<PaidPeriod, 'price'> {
  return {
    purchaseId: subscription.lastPurchaseId,
    periodIndex: subscription.lastPeriodIndex,
    startTime: subscription.lastStartTime,
    expiryTime: subscription.expiryTime,
    developerPayload: subscription.developerPayload,
    voidedTime: null,
    voidReason: null,
  };
}

/**
 * Voids a period; one that is already void does not change. Voiding the newest period ends the subscription in any state
 * and replaces its cancelReason and cancelledTime with those of the void.
 */
export function decideVoidOfPeriod(
  subscription: Subscription,
  paidPeriod: PaidPeriod,
  by: { readonly voidedTime: number; readonly reason: CancelReason },
): { readonly subscription?: Subscription; readonly paidPeriod: PaidPeriod } {
  if (paidPeriod.voidedTime !== null) return { paidPeriod };
  const voided = { ...paidPeriod, voidedTime: by.voidedTime, voidReason: by.reason };
  if (paidPeriod.purchaseId !== subscription.lastPurchaseId) return { paidPeriod: voided };
  const expiryTime = Math.min(subscription.expiryTime, by.voidedTime);
  const terminatedTime = subscription.terminatedTime ?? by.voidedTime;
  const ended = { ...withoutAutoPayment(subscription, by.voidedTime, by.reason), expiryTime, terminatedTime };
  return { subscription: ended, paidPeriod: { ...voided, expiryTime } };
}

export function withoutAutoPayment(
  subscription: Subscription,
  cancelledTime: number,
  cancelReason: CancelReason,
): Subscription {
  const cancel = { autoRenewing: false, nextPaymentTime: null, cancelReason, cancelledTime };
  return { ...subscription, ...cancel, consent: null };
}

/** The details of a period that depend on whether a later period followed. */
type Outlook = Pick<
  Subscription,
  'expiryTime' | 'nextPaymentTime' | 'autoRenewing' | 'cancelReason' | 'cancelledTime'
>;

/** The specification, "Recurring (monthly) purchase details", for any period of the subscription. */
export function describeRecurringPurchase(
  subscription: Subscription,
  paidPeriod: PaidPeriod,
): RecurringPurchaseDetails {
  return { ...describePeriod(subscription, paidPeriod), price: paidPeriod.price };
}

/** The same without its price. */
export function describePeriod(
  subscription: Subscription,
  paidPeriod: Omit<PaidPeriod, 'price'>,
): PeriodRecord {
  const isNewest = paidPeriod.purchaseId === subscription.lastPurchaseId;
  const shown = isNewest ? subscription : outlookOfOther(subscription, paidPeriod);
  return {
    startTime: paidPeriod.startTime,
    expiryTime: shown.expiryTime,
    ...(shown.nextPaymentTime !== null && { nextPaymentTime: shown.nextPaymentTime }),
    autoRenewing: shown.autoRenewing,
    developerPayload: paidPeriod.developerPayload,
    purchaseState: paidPeriod.voidedTime === null ? 0 : 1,
    ...shownCancellation(shown),
  };
}

/** The same for the newest period, which is not void. */
export function describeNewestPeriod(subscription: Subscription): PeriodRecord {
  return describePeriod(subscription, newestPeriod(subscription));
}

/** A renewed period stays renewed; one that was paid after the end of its subscription is void and never was. */
function outlookOfOther(subscription: Subscription, paidPeriod: Omit<PaidPeriod, 'price'>): Outlook {
  return {
    expiryTime: paidPeriod.expiryTime,
    nextPaymentTime: null,
    autoRenewing: paidPeriod.periodIndex < subscription.lastPeriodIndex,
    cancelReason: paidPeriod.voidReason,
    cancelledTime: paidPeriod.voidedTime,
  };
}

/** The specification, "Last recurring purchase details": those of the newest period. */
export function describeLastRecurringPurchase(subscription: Subscription): LastRecurringPurchaseDetails {
  return {
    startTime: subscription.lastStartTime,
    expiryTime: subscription.expiryTime,
    ...(subscription.nextPaymentTime !== null && { nextPaymentTime: subscription.nextPaymentTime }),
    autoRenewing: subscription.autoRenewing,
    ...shownCancellation(subscription),
    lastPurchaseId: subscription.lastPurchaseId,
  };
}

function shownCancellation({ cancelReason, cancelledTime }: Outlook): {
  cancelReason?: CancelReason;
  cancelledTime?: number;
} {
  return cancelReason === null || cancelledTime === null ? {} : { cancelReason, cancelledTime };
}

/** A range of periods of a subscription; both ends are inclusive. */
export interface PeriodsOfSubscription {
  readonly packageName: string;
  readonly firstPurchaseId: string;
  readonly fromPeriod: number;
  readonly toPeriod: number;
}
