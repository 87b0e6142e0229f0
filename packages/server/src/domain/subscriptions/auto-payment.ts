// Switches auto-payment off and on: for the customer, or for a store that asks its customer for consent, whose cancel only
// the store can undo (the table of docs/decisions/subscriptions.md, "Consent").

import type { CancelReason } from '../purchases/purchase.ts';
import { isBeforeRenewal, type RenewableSubscription } from './renewal.ts';
import { type Subscription, subscriptionStateAt, withoutAutoPayment } from './subscription.ts';

/** `refused`: nothing is written; responseCode 1 in the purchase API. */
export type SubscriptionDecision = { readonly changed: Subscription } | 'refused';

interface Cancel {
  readonly now: number;
  readonly reason: CancelReason;
  readonly chargeIsOpen?: boolean;
  readonly isExpired?: boolean;
}

/**
 * Ends auto-payment, or withdraws from the consent that is awaited. While payment is outstanding a cancel ends the
 * subscription at once, unless `chargeIsOpen`: an attempt without an outcome may still pay its period (decidePaidPeriod).
 */
export function decideCancel(
  subscription: Subscription,
  { now, reason, chargeIsOpen = false, isExpired = false }: Cancel,
): SubscriptionDecision {
  const state = subscriptionStateAt(subscription, now);
  const cancelled = withoutAutoPayment(subscription, now, reason);
  if (state === 'active') return { changed: cancelled };
  if (state === 'paymentOutstanding') {
    return { changed: { ...cancelled, terminatedTime: chargeIsOpen ? null : now } };
  }
  const isAwaited = state === 'autoPaymentOff' && !isExpired && subscription.consent === 'awaited';
  return isAwaited ? { changed: { ...cancelled, consent: 'withdrawn' } } : 'refused';
}

/**
 * Asks for consent: auto-payment is off until it is given. A customer who had cancelled stays so. `same`: it was asked
 * before, and a repeated question takes no answer away.
 */
export function decideQuestion(
  subscription: RenewableSubscription,
  now: number,
): SubscriptionDecision | 'same' {
  if (!isBeforeRenewal(subscription, now)) return 'refused';
  if (subscription.autoRenewing) {
    return { changed: { ...withoutAutoPayment(subscription, now, '1'), consent: 'awaited' } };
  }
  return subscription.consent === null ? { changed: { ...subscription, consent: 'withdrawn' } } : 'same';
}

interface Reactivation {
  readonly now: number;
  /** True early if the server that wrote the expiry has a faster clock. */
  readonly isExpired: boolean;
  /** Nobody could be charged. */
  readonly isErased: boolean;
  /** The backend of the app undoes no cancel of a store that asks for consent. */
  readonly by: 'app' | 'store';
  /** The customer consents to what was asked; otherwise one who cancelled has come back. */
  readonly consent?: 'given' | undefined;
}

/** Reverts a cancel during the paid period. */
export function decideReactivate(subscription: Subscription, at: Reactivation): SubscriptionDecision {
  if (at.isExpired || at.isErased) return 'refused';
  if (subscriptionStateAt(subscription, at.now) !== 'autoPaymentOff') return 'refused';
  if (at.by === 'app' && subscription.consent !== null) return 'refused';
  if ((at.consent === 'given') !== (subscription.consent === 'awaited')) return 'refused';
  const on = { autoRenewing: true, cancelReason: null, cancelledTime: null, consent: null };
  return { changed: { ...subscription, ...on, nextPaymentTime: subscription.expiryTime } };
}
