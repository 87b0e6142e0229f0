// Decides what is due for a subscription and how the answer of the payment gateway changes it
// (docs/decisions/subscriptions.md).

import type { PackageName, PurchaseId } from '../identifiers.ts';
import { dayMs, hourMs, minuteMs } from '../time.ts';
import { isTimeZone, periodEnd } from './calendar-period.ts';
import { decidePaidMonth, type Subscription, type SubscriptionMonth } from './subscription.ts';

/** The author of renewals, also of those that happen while a clock is advanced. */
export const renewalAuthor = 'job:renewals';

/** `unknown`: no answer, or one that does not say whether money was taken. */
export type ChargeOutcome = 'paid' | 'declined' | 'declined_final' | 'pending' | 'unknown';

/** An attempt with one of these outcomes is settled; with any other it stays open. */
export type SettledOutcome = Exclude<ChargeOutcome, 'pending' | 'unknown'>;

/** Days after its due time in which a charge may begin. The maximum is less than two thirds of any month. */
export const graceDays = { min: 1, max: 18 } as const;

/** A charge of unknown outcome is not sent to somebody who left longer ago than this, in ms: it may never have arrived. */
const retryAfterEndMs = 10 * minuteMs;

/** A declined charge is retried this many hours after the payment fell due. */
const retryHours = [1, 6, 24, 48] as const;
export const lastRetryMs = Math.max(...retryHours) * hourMs;

/** A month that is paid now begins where the last one ended, however late that is, and lasts at least this long. */
const paidMonthMs = 27 * dayMs;

/** After any answer but a payment, the same charge is due again after this time at the earliest. */
const unpaidPauseMs = minuteMs;

/** The maximum number of attempts to charge one month. */
export const attemptsMax = 1 + retryHours.length;

/** The month that an attempt charges, and the number of the attempt from 1. */
export interface AttemptNumber {
  readonly periodIndex: number;
  readonly attempt: number;
}

/** A stored attempt: `outcome` is null until it is settled, `wasPending` true once the gateway answered `pending`. */
interface Attempt extends AttemptNumber {
  readonly outcome: SettledOutcome | null;
  readonly wasPending: boolean;
  /** Whether any attempt of the subscription was paid after it had been settled as declined. */
  readonly hasConflict: boolean;
}

/** How long after its due time a charge of an app may begin. */
export interface ChargeWindow {
  readonly graceMs: number;
  /** When renewals of the app were last resumed or the app was last enabled; lateness counts from then on. */
  readonly resumedTime: number | undefined;
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

/**
 * The last instant at which a charge for the next month may begin: within the grace, and in the first two thirds of that
 * month.
 */
export function chargeableUntil(
  subscription: Subscription,
  { graceMs, resumedTime = 0 }: ChargeWindow,
): number {
  const { expiryTime, timeZone, lastPeriodIndex } = subscription;
  const graceEnd = Math.max(expiryTime, resumedTime) + graceMs;
  const ofShortestMonth = expiryTime + graceDays.max * dayMs;
  // Only a grace that counts from a resume can be longer.
  if (graceEnd <= ofShortestMonth) return graceEnd;
  // A newer server may have recorded it in a zone that this one does not know.
  if (!isTimeZone(timeZone)) return ofShortestMonth;
  const monthMs = periodEnd(subscription, lastPeriodIndex + 1) - expiryTime;
  return Math.min(graceEnd, expiryTime + Math.floor((2 * monthMs) / 3));
}

/** The response to a charge that began at the last instant arrives within this time, in ms. */
const paidAfterBeginMs = minuteMs;

/**
 * Whether a payment gives the next month: the one rule for a response of the gateway, a polled one and one that an
 * operator settles by hand. A later payment is recorded and voided, so that nobody pays a whole month for its last days.
 */
export function isPaidInTime(subscription: Subscription, window: ChargeWindow, paidTime: number): boolean {
  return paidTime <= chargeableUntil(subscription, window) + paidAfterBeginMs;
}

/** The last instant at which an open attempt of unknown outcome is sent again: the retry could be the first to arrive. */
function retryableUntil(subscription: Subscription, window: ChargeWindow): number {
  const { cancelledTime, terminatedTime } = subscription;
  const endTime = Math.min(cancelledTime ?? Infinity, terminatedTime ?? Infinity);
  return Math.min(chargeableUntil(subscription, window), endTime + retryAfterEndMs);
}

type DueWork =
  /** The open attempt is sent again with its key. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'attempt'; readonly number: AttemptNumber }
  /** decideExpiry; an open attempt is polled on, because its gateway has answered `pending`. */
  | { readonly kind: 'expiry' }
  /** decideExpiry; the open attempt is never retried, because the retry could be the first request that arrives. */
  | { readonly kind: 'unresolved' }
  /** decideHold: until a conflict is settled, nothing is charged that might be charged twice. */
  | { readonly kind: 'held' };

/**
 * What is due for a subscription; undefined if nothing is. `newest` is its newest attempt, and an open attempt is always
 * the newest.
 */
export function decideDueWork(
  subscription: RenewableSubscription,
  at: { readonly now: number; readonly newest: Attempt | undefined; readonly window: ChargeWindow },
): DueWork | undefined {
  const { openChargeTime, nextPaymentTime, autoRenewing } = subscription;
  const isLate = () => at.now > chargeableUntil(subscription, at.window);
  if (openChargeTime !== null) {
    if (openChargeTime > at.now) return undefined;
    if (at.newest?.wasPending === true)
      return { kind: isLate() && !hasEnded(subscription) ? 'expiry' : 'retry' };
    if (at.now > retryableUntil(subscription, at.window)) return { kind: 'unresolved' };
    return { kind: at.newest?.hasConflict === true ? 'held' : 'retry' };
  }
  if (hasEnded(subscription)) return undefined;
  if (!autoRenewing) return subscription.expiryTime <= at.now ? { kind: 'expiry' } : undefined;
  if (nextPaymentTime === null || nextPaymentTime > at.now) return undefined;
  if (isLate()) return { kind: 'expiry' };
  if (at.newest?.hasConflict === true) return { kind: 'held' };
  const periodIndex = subscription.lastPeriodIndex + 1;
  const before = at.newest?.periodIndex === periodIndex ? at.newest.attempt : 0;
  return { kind: 'attempt', number: { periodIndex, attempt: before + 1 } };
}

/** Whether no month can follow: a payment from then on is recorded and voided. */
export function hasEnded({ terminatedTime, isExpired }: RenewableSubscription): boolean {
  return terminatedTime !== null || isExpired;
}

/** What the end of the time in which it could be paid makes of the subscription. */
export type Expiry =
  /** subscription.expired: auto-payment had been cancelled. */
  | { readonly kind: 'expired' }
  /** subscription.expired: no charge may begin any more. */
  | { readonly kind: 'overdue'; readonly changed: Subscription }
  /** No event: the subscription had ended. */
  | { readonly kind: 'nothing' };

/** What an answer or an expiry makes of the subscription. Each kind is one change, with the events that it names. */
export type Settlement =
  | Expiry
  /** subscription.renewed */
  | { readonly kind: 'renewed'; readonly changed: Subscription; readonly month: SubscriptionMonth }
  /**
   * The events of `expiry`, then purchase.completed and purchase.voided: paid after the subscription or the month itself
   * ended, so the store has to refund it.
   */
  | { readonly kind: 'paidAfterEnd'; readonly month: SubscriptionMonth; readonly expiry: Expiry }
  /** subscription.payment_failed: it is tried again at nextPaymentTime. */
  | { readonly kind: 'failed'; readonly changed: Subscription }
  /** No event: a conflict has to be settled before the next attempt. */
  | { readonly kind: 'held'; readonly changed: Subscription }
  /** subscription.payment_failed, subscription.expired: that was the last attempt. */
  | { readonly kind: 'failedForGood'; readonly changed: Subscription };

/** What makes a settled attempt's answer a change of its subscription. */
interface SettledAnswer {
  readonly outcome: SettledOutcome;
  readonly now: number;
  readonly purchaseId: PurchaseId;
  readonly window: ChargeWindow;
}

/**
 * What a settled attempt makes of the subscription as it is now, which may have been cancelled, terminated or expired
 * since the attempt began. A success starts its month at the old expiryTime, if it is in time (isPaidInTime).
 */
export function decideSettlement(
  subscription: RenewableSubscription,
  attempt: AttemptNumber,
  by: SettledAnswer,
): Settlement {
  if (attempt.periodIndex !== subscription.lastPeriodIndex + 1) {
    throw new Error('An attempt is for another month than the next.');
  }
  if (by.outcome === 'paid') {
    const { changed, month } = decidePaidMonth(subscription, by.purchaseId);
    const isGiven = !hasEnded(subscription) && isPaidInTime(subscription, by.window, by.now);
    if (isGiven) return { kind: 'renewed', changed, month };
    return { kind: 'paidAfterEnd', month, expiry: decideExpiry(subscription, by.now) };
  }
  if (hasEnded(subscription)) return { kind: 'nothing' };
  if (!subscription.autoRenewing) return { kind: 'expired' };
  const retry = by.outcome === 'declined' ? retryTime(subscription, attempt, by) : undefined;
  if (retry !== undefined) return { kind: 'failed', changed: { ...subscription, nextPaymentTime: retry } };
  return { kind: 'failedForGood', changed: endOfAutoPayment(subscription, by.now) };
}

/** Expires a subscription whose next month was not paid in time. */
export function decideExpiry(subscription: RenewableSubscription, now: number): Expiry {
  if (hasEnded(subscription)) return { kind: 'nothing' };
  if (!subscription.autoRenewing) return { kind: 'expired' };
  return { kind: 'overdue', changed: endOfAutoPayment(subscription, now) };
}

/** When a subscription with a conflict is due again: it may have been settled by then, or the grace may be over. */
export function heldUntil(now: number): number {
  return now + hourMs;
}

/** Postpones the next attempt to charge a subscription with a conflict. */
export function decideHold(subscription: RenewableSubscription, now: number): Settlement {
  return { kind: 'held', changed: { ...subscription, nextPaymentTime: heldUntil(now) } };
}

function endOfAutoPayment(subscription: Subscription, cancelledTime: number): Subscription {
  return {
    ...subscription,
    autoRenewing: false,
    nextPaymentTime: null,
    cancelReason: '1',
    cancelledTime,
  };
}

/**
 * When the attempt after this one is due; undefined after the last, and if it could not begin in time. Late attempts
 * keep an hour between them, so that a server that was stopped for days does not try four times at once.
 */
function retryTime(
  subscription: Subscription,
  { attempt }: AttemptNumber,
  { now, window }: SettledAnswer,
): number | undefined {
  const hours = retryHours[attempt - 1];
  if (hours === undefined) return undefined;
  const planned = subscription.expiryTime + hours * hourMs;
  const retry = planned > now ? planned : now + hourMs;
  return retry <= chargeableUntil(subscription, window) ? retry : undefined;
}

/**
 * When an attempt without a definite answer is sent again: after a minute, twice as long each time, an hour
 * at most. `tries` is how often it was sent.
 */
export function nextTryTime(tries: number, now: number): number {
  return now + Math.min(hourMs, minuteMs * 2 ** (tries - 1));
}

/** The longest prefix of the due items that one batch may settle: nothing they cause is due before the last of them. */
export function batchOf<Item extends { readonly dueTime: number; readonly expiryTime: number }>(
  due: readonly Item[],
  { isPaid }: { readonly isPaid: boolean },
): readonly Item[] {
  const batch: Item[] = [];
  let dueAgain = Number.POSITIVE_INFINITY;
  for (const item of due) {
    if (batch.length > 0 && item.dueTime >= dueAgain) break;
    batch.push(item);
    dueAgain = Math.min(dueAgain, item.expiryTime + paidMonthMs);
    if (!isPaid) dueAgain = Math.min(dueAgain, item.dueTime + unpaidPauseMs);
  }
  return batch;
}
