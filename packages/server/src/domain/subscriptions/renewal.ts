// What falls due for a subscription, and what the answer of a payment gateway makes of it (docs/decisions/renewals.md). How a charge is made and stored is not known here.

import type { PackageName, PurchaseId } from '../identifiers.ts';
import { decidePaidMonth, type Subscription, type SubscriptionMonth } from './subscription.ts';

/** `unknown`: no answer, or none that says whether money was taken. */
export type ChargeOutcome = 'paid' | 'declined' | 'declined_final' | 'pending' | 'unknown';

/** An attempt with one of these is settled; with any other it stays open, and its key is sent again. */
export type SettledOutcome = Exclude<ChargeOutcome, 'pending' | 'unknown'>;

const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;

/** After the first attempt a declined payment is tried again so many hours after it fell due. */
const retryHours = [1, 6, 24, 48] as const;

/** Attempts to charge one month. */
export const attemptsMax = 1 + retryHours.length;

/** The month that an attempt is to pay, and the number of the attempt from 1. */
export interface AttemptNumber {
  readonly periodIndex: number;
  readonly attempt: number;
}

/** An attempt as it is stored; null until it is settled. */
interface Attempt extends AttemptNumber {
  readonly outcome: SettledOutcome | null;
}

/**
 * What the gateway tells repeats by: the same for every repeat of an attempt, another for every other
 * attempt. None of its parts can hold a slash.
 */
export function idempotencyKeyOf(
  of: { readonly packageName: PackageName; readonly firstPurchaseId: PurchaseId } & AttemptNumber,
): string {
  return `${of.packageName}/${of.firstPurchaseId}/${of.periodIndex}/${of.attempt}`;
}

/** What has fallen due: an open attempt to send again, a new one, or the expiry to tell. */
type FallenDue =
  | { readonly kind: 'repeat' }
  | { readonly kind: 'attempt'; readonly number: AttemptNumber }
  | { readonly kind: 'expiry' };

/** `newest` is the newest attempt for the month after the last; undefined: nothing is due at this instant. */
export function decideFallenDue(
  subscription: Subscription & { readonly openChargeTime: number | null; readonly expiryTold: boolean },
  at: { readonly now: number; readonly newest: Attempt | undefined },
): FallenDue | undefined {
  const { openChargeTime, nextPaymentTime, terminatedTime, autoRenewing } = subscription;
  if (openChargeTime !== null) return openChargeTime <= at.now ? { kind: 'repeat' } : undefined;
  if (terminatedTime !== null) return undefined;
  if (!autoRenewing) {
    const isDue = !subscription.expiryTold && subscription.expiryTime <= at.now;
    return isDue ? { kind: 'expiry' } : undefined;
  }
  if (nextPaymentTime === null || nextPaymentTime > at.now) return undefined;
  const periodIndex = subscription.lastPeriodIndex + 1;
  const before = at.newest?.periodIndex === periodIndex ? at.newest.attempt : 0;
  return { kind: 'attempt', number: { periodIndex, attempt: before + 1 } };
}

/** What an answer makes of the subscription. Each kind is one change, told by the events that it names. */
export type Settlement =
  /** subscription.renewed */
  | { readonly kind: 'renewed'; readonly changed: Subscription; readonly month: SubscriptionMonth }
  /** purchase.completed, purchase.voided: paid after a termination, so the store has to refund it. */
  | { readonly kind: 'paidInVain'; readonly month: SubscriptionMonth }
  /** subscription.payment_failed: it is tried again at nextPaymentTime. */
  | { readonly kind: 'failed'; readonly changed: Subscription }
  /** subscription.payment_failed, subscription.expired: that was the last attempt. */
  | { readonly kind: 'failedForGood'; readonly changed: Subscription }
  /** subscription.expired: auto-payment had been cancelled while the charge was open. */
  | { readonly kind: 'expired' }
  /** Nothing: it had been terminated while the charge was open. */
  | { readonly kind: 'nothing' };

/**
 * What a settled attempt makes of the subscription as it is now, which may have been cancelled or
 * terminated since the attempt was begun. A late success starts its month at the old expiryTime.
 */
export function decideSettlement(
  subscription: Subscription,
  attempt: AttemptNumber,
  by: { readonly outcome: SettledOutcome; readonly now: number; readonly purchaseId: PurchaseId },
): Settlement {
  if (attempt.periodIndex !== subscription.lastPeriodIndex + 1) {
    throw new Error('An attempt is for another month than the next.');
  }
  if (by.outcome === 'paid') {
    const { changed, month } = decidePaidMonth(subscription, by.purchaseId);
    return changed === undefined ? { kind: 'paidInVain', month } : { kind: 'renewed', changed, month };
  }
  if (subscription.terminatedTime !== null) return { kind: 'nothing' };
  if (!subscription.autoRenewing) return { kind: 'expired' };
  const retry = by.outcome === 'declined' ? retryTime(subscription, attempt, by.now) : undefined;
  if (retry !== undefined) return { kind: 'failed', changed: { ...subscription, nextPaymentTime: retry } };
  const end = {
    autoRenewing: false,
    nextPaymentTime: null,
    cancelReason: '1',
    cancelledTime: by.now,
  } as const;
  return { kind: 'failedForGood', changed: { ...subscription, ...end } };
}

/**
 * When the attempt after this one is due; undefined after the last. Attempts that were late keep an hour
 * between them, so that a server that was away for days does not try four times at once.
 */
function retryTime(subscription: Subscription, { attempt }: AttemptNumber, now: number): number | undefined {
  const hours = retryHours[attempt - 1];
  if (hours === undefined) return undefined;
  const planned = subscription.expiryTime + hours * hourMs;
  return planned > now ? planned : now + hourMs;
}

/**
 * When an attempt without a definite answer is sent again: after a minute, twice as long each time, an hour
 * at most. `tries` is how often it was sent.
 */
export function nextTryTime(tries: number, now: number): number {
  return now + Math.min(hourMs, minuteMs * 2 ** (tries - 1));
}
