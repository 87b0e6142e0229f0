// Moves the end of the paid time of a subscription (docs/decisions/subscriptions.md).

import { extensionDaysMax } from '@opentill/contract/limits.ts';
import { quoteInstant } from '../text/quoted-value.ts';
import { dayMs } from '../time.ts';
import { extendedAnchor } from './calendar-period.ts';
import { isBeforeRenewal, lastsStill, type RenewableSubscription } from './renewal.ts';
import type { Subscription } from './subscription.ts';

/** `same`: the period already ends then. */
export type ExtensionDecision =
  | { readonly kind: 'changed'; readonly changed: Subscription }
  | { readonly kind: 'same' }
  /** The time is not allowed; `expected` says which one is. */
  | { readonly kind: 'invalid'; readonly expected: string }
  | { readonly kind: 'refused'; readonly expected: string };

/**
 * The newest period ends at `expiryTime`, and the calendar moves with it: a payment, if auto-payment is on, is due then.
 * A void of that period has terminated the subscription.
 */
export function decideExtension(
  subscription: RenewableSubscription,
  { now, expiryTime }: { readonly now: number; readonly expiryTime: number },
): ExtensionDecision {
  if (expiryTime === subscription.expiryTime) return { kind: 'same' };
  const latest = subscription.expiryTime + extensionDaysMax * dayMs;
  if (expiryTime < subscription.expiryTime || expiryTime > latest) {
    const expected = `a time after ${quoteInstant(subscription.expiryTime)}, the current end, up to ${quoteInstant(latest)}`;
    return { kind: 'invalid', expected };
  }
  if (subscription.terminatedTime !== null) {
    return { kind: 'refused', expected: 'a subscription that has not been terminated' };
  }
  if (!isBeforeRenewal(subscription, now)) return { kind: 'refused', expected: lastsStill };
  const anchor = extendedAnchor(subscription, { index: subscription.lastPeriodIndex, newEnd: expiryTime });
  const nextPaymentTime = subscription.autoRenewing ? expiryTime : null;
  return { kind: 'changed', changed: { ...subscription, ...anchor, expiryTime, nextPaymentTime } };
}
