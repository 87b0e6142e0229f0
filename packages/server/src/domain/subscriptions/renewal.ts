// Decides what is due for a subscription and how the answer of the payment gateway changes it
// (docs/decisions/subscriptions.md).

import type { Period } from '@opentill/contract/periods.ts';
import type { PackageName, PurchaseId } from '../identifiers.ts';
import { minuteMs } from '../time.ts';
import { periodMsMin } from './calendar-period.ts';
import {
  type ChargeRetries,
  chargeableUntil,
  isPaidInTime,
  retryTime,
  sendableUntil,
} from './charge-times.ts';
import { decidePaidPeriod, type PaidPeriod, type Subscription, withoutAutoPayment } from './subscription.ts';

/** The author of renewals, also of those that happen while a clock is advanced. */
export const renewalAuthor = 'job:renewals';

/** `unknown`: no answer, or one that does not say whether money was taken. */
export type ChargeOutcome = 'paid' | 'declined' | 'declinedFinal' | 'pending' | 'unknown';

/** An attempt with one of these outcomes is settled; with any other it stays open. */
export type SettledOutcome = Exclude<ChargeOutcome, 'pending' | 'unknown'>;

/** After any answer but a payment, the same charge is due again after this time at the earliest. */
const unpaidPauseMs = minuteMs;

/** The period that an attempt charges, and the number of the attempt from 1. */
export interface AttemptNumber {
  readonly periodIndex: number;
  readonly attempt: number;
}

/** A stored attempt: `outcome` is null until it is settled, `wasPending` true once the gateway answered `pending`. */
export interface Attempt extends AttemptNumber {
  readonly outcome: SettledOutcome | null;
  readonly wasPending: boolean;
  /** When it was first sent. */
  readonly begunTime: number;
}

interface AttemptOfInstallation extends AttemptNumber {
  readonly installation: string;
  readonly packageName: PackageName;
  readonly firstPurchaseId: PurchaseId;
}

/** Identifies an attempt at the gateway; each retry of the attempt has the same key. No part can contain a slash. */
export function idempotencyKeyOf(of: AttemptOfInstallation): string {
  return `${of.installation}/${of.packageName}/${of.firstPurchaseId}/${of.periodIndex}/${of.attempt}`;
}

/** A subscription with its state of renewal. */
export interface RenewableSubscription extends Subscription {
  /** When the open attempt is retried; null if there is none, or none that may be retried. */
  readonly openChargeTime: number | null;
  /** Whether the event of its expiry is written. */
  readonly isExpired: boolean;
}

/** When the subscription falls due next, as the generated column due_time says; null if it never does. */
export function dueTimeOf(subscription: RenewableSubscription): number | null {
  const { openChargeTime, terminatedTime, autoRenewing, nextPaymentTime, isExpired } = subscription;
  if (openChargeTime !== null) return openChargeTime;
  if (terminatedTime !== null) return null;
  if (autoRenewing) return nextPaymentTime;
  return isExpired ? null : subscription.expiryTime;
}

type DueWork =
  /** The open attempt is sent again with its key. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'attempt'; readonly number: AttemptNumber }
  /** decideExpiry; an open attempt is polled on, because its gateway has answered `pending`. */
  | { readonly kind: 'expiry' }
  /** decideExpiry; the open attempt is never retried, because the retry could be the first request that arrives. */
  | { readonly kind: 'unresolved' };

/**
 * What is due for a subscription; undefined if nothing is. `newest` is its newest attempt, and an open attempt is always
 * the newest.
 */
export function decideDueWork(
  subscription: RenewableSubscription,
  at: { readonly now: number; readonly newest: Attempt | undefined },
): DueWork | undefined {
  const { openChargeTime, nextPaymentTime, autoRenewing } = subscription;
  const isLate = () => at.now > chargeableUntil(subscription);
  if (openChargeTime !== null) {
    if (openChargeTime > at.now || at.newest?.outcome !== null) return undefined;
    if (at.newest.wasPending) return { kind: isLate() && !hasEnded(subscription) ? 'expiry' : 'retry' };
    const isSendable = at.now <= sendableUntil(subscription, at.newest.begunTime);
    return { kind: isSendable ? 'retry' : 'unresolved' };
  }
  if (hasEnded(subscription)) return undefined;
  if (!autoRenewing) return subscription.expiryTime <= at.now ? { kind: 'expiry' } : undefined;
  if (nextPaymentTime === null || nextPaymentTime > at.now) return undefined;
  if (isLate()) return { kind: 'expiry' };
  const periodIndex = subscription.lastPeriodIndex + 1;
  const before = at.newest?.periodIndex === periodIndex ? at.newest.attempt : 0;
  return { kind: 'attempt', number: { periodIndex, attempt: before + 1 } };
}

/** Whether no period can follow: a payment from then on is recorded and voided. */
export function hasEnded({ terminatedTime, isExpired }: RenewableSubscription): boolean {
  return terminatedTime !== null || isExpired;
}

/**
 * Whether the newest period lasts, so that no attempt has been made to charge the next one: until then, an operator may change
 * when and at what price it is charged.
 */
export function isBeforeRenewal(subscription: RenewableSubscription, now: number): boolean {
  const { expiryTime, nextPaymentTime, openChargeTime } = subscription;
  // A clock that went back does not undo an attempt that was declined.
  const isRetried = nextPaymentTime !== null && nextPaymentTime > expiryTime;
  return !hasEnded(subscription) && now < expiryTime && openChargeTime === null && !isRetried;
}

/** What isBeforeRenewal requires, for people. */
export const lastsStill =
  'a subscription whose paid period is not over: settle the charge or record a new subscription';

/** What the end of the time in which it could be paid makes of the subscription. */
export type Expiry =
  /** subscription.expired: auto-payment had been cancelled. */
  | { readonly kind: 'expired' }
  /** subscription.expired: consent was awaited to the end. */
  | { readonly kind: 'withoutConsent' }
  /** subscription.expired: no charge may begin any more. */
  | { readonly kind: 'overdue'; readonly changed: Subscription }
  /** No event: the subscription had ended. */
  | { readonly kind: 'nothing' };

/** What an answer or an expiry makes of the subscription. Each kind is one change, with the events that it names. */
export type Settlement =
  | Expiry
  /** subscription.renewed */
  | { readonly kind: 'renewed'; readonly changed: Subscription; readonly paidPeriod: PaidPeriod }
  /**
   * The events of `expiry`, then purchase.completed and purchase.voided: paid after the subscription or the period itself
   * ended, so the store has to refund it.
   */
  | { readonly kind: 'paidAfterEnd'; readonly paidPeriod: PaidPeriod; readonly expiry: Expiry }
  /** subscription.payment_failed: it is tried again at nextPaymentTime. */
  | { readonly kind: 'failed'; readonly changed: Subscription }
  /** subscription.payment_failed, subscription.expired: that was the last attempt. */
  | { readonly kind: 'failedForGood'; readonly changed: Subscription };

/** What makes a settled attempt's answer a change of its subscription. */
interface SettledAnswer {
  readonly outcome: SettledOutcome;
  readonly now: number;
  readonly purchaseId: PurchaseId;
  readonly retries: ChargeRetries;
}

/**
 * What a settled attempt makes of the subscription as it is now, which may have been cancelled, terminated or expired
 * since the attempt began. A success starts its period at the old expiryTime, if it is in time (isPaidInTime).
 */
export function decideSettlement(
  subscription: RenewableSubscription,
  attempt: AttemptNumber,
  by: SettledAnswer,
): Settlement {
  if (attempt.periodIndex !== subscription.lastPeriodIndex + 1) {
    throw new Error('An attempt is for another period than the next.');
  }
  if (by.outcome === 'paid') {
    const { changed, paidPeriod } = decidePaidPeriod(subscription, by.purchaseId);
    const isGiven = !hasEnded(subscription) && isPaidInTime(subscription, by.now);
    if (isGiven) return { kind: 'renewed', changed, paidPeriod };
    return { kind: 'paidAfterEnd', paidPeriod, expiry: decideExpiry(subscription, by.now) };
  }
  if (hasEnded(subscription)) return { kind: 'nothing' };
  if (!subscription.autoRenewing) return decideExpiry(subscription, by.now);
  const retry = by.outcome === 'declined' ? retryTime(subscription, { ...by, ...attempt }) : undefined;
  if (retry !== undefined) return { kind: 'failed', changed: { ...subscription, nextPaymentTime: retry } };
  return { kind: 'failedForGood', changed: withoutAutoPayment(subscription, by.now, '1') };
}

/**
 * What a payment with the key of an attempt makes of its subscription if the attempt is settled as declined. It gives the
 * period if that is next and unpaid, nothing else may pay it, and it is in time; otherwise the money has to go back.
 */
export function decideLatePayment(
  subscription: RenewableSubscription,
  attempt: AttemptNumber,
  by: Omit<SettledAnswer, 'outcome'> & { readonly isAnotherOpen: boolean; readonly isPeriodFree: boolean },
): Settlement {
  const isNext = attempt.periodIndex === subscription.lastPeriodIndex + 1;
  if (!isNext || by.isAnotherOpen || !by.isPeriodFree) return { kind: 'nothing' };
  return decideSettlement(subscription, attempt, { ...by, outcome: 'paid' });
}

/** Expires a subscription whose next period was not paid in time. */
export function decideExpiry(subscription: RenewableSubscription, now: number): Expiry {
  if (hasEnded(subscription)) return { kind: 'nothing' };
  if (subscription.autoRenewing) {
    return { kind: 'overdue', changed: withoutAutoPayment(subscription, now, '1') };
  }
  return { kind: subscription.consent === 'awaited' ? 'withoutConsent' : 'expired' };
}

/** The longest prefix of the due items that one batch may settle: nothing they cause is due before the last of them. */
export function batchOf<
  Item extends { readonly dueTime: number; readonly expiryTime: number; readonly period: Period },
>(due: readonly Item[], { isPaid }: { readonly isPaid: boolean }): readonly Item[] {
  const batch: Item[] = [];
  let dueAgain = Number.POSITIVE_INFINITY;
  for (const item of due) {
    if (batch.length > 0 && item.dueTime >= dueAgain) break;
    batch.push(item);
    // A period that is paid now begins where the last one ended, however late that is.
    dueAgain = Math.min(dueAgain, item.expiryTime + periodMsMin(item.period));
    if (!isPaid) dueAgain = Math.min(dueAgain, item.dueTime + unpaidPauseMs);
  }
  return batch;
}
