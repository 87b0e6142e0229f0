// Why a subscription is in its state: one sentence, and the purchase or the attempt that shows it.

import type { SubscriptionCause } from '@opentill/contract/subscription-causes.ts';
import { publicAuthor } from '../author.ts';
import type { AttemptNumber, SettledOutcome } from './renewal.ts';
import { type Subscription, subscriptionStateAt } from './subscription.ts';

/** An attempt as it is stored: without outcome it is open or unresolved. */
interface KnownAttempt extends AttemptNumber {
  readonly outcome: SettledOutcome | null;
  readonly wasPending: boolean;
  readonly settledTime: number | null;
}

export interface SubscriptionFacts {
  readonly subscription: Subscription;
  readonly now: number;
  /** The newest attempt of all. */
  readonly newest: KnownAttempt | undefined;
  readonly isNewestPeriodVoided: boolean;
  /** The author of the last cancel; null if an import did not name one. */
  readonly cancelledBy: string | null;
  /** The author of renewals, who ends auto-payment when a period is not paid. */
  readonly renewalAuthor: string;
  /** Whether no charge begins: a pause, or a disabled app. */
  readonly isPaused: boolean;
}

export function causeOf(facts: SubscriptionFacts): SubscriptionCause {
  const { subscription, now, isNewestPeriodVoided } = facts;
  const { lastPeriodIndex, lastPurchaseId: purchaseId } = subscription;
  const period = lastPeriodIndex + 1;
  const paid = lastPeriodIndex === 0 && subscription.price === 0 ? 'free' : 'paid';
  switch (subscriptionStateAt(subscription, now)) {
    case 'active':
      return { kind: 'paid', text: `Period ${period} is ${paid}, and auto-payment is on.`, purchaseId };
    case 'autoPaymentOff':
      if (subscription.consent === 'awaited') {
        const text = `Period ${period} is ${paid}, and the next one needs the consent of the customer.`;
        return { kind: 'awaitsConsent', text, purchaseId };
      }
      return { kind: 'cancelled', text: `Auto-payment was cancelled${byWhom(facts)}.`, purchaseId };
    case 'paymentOutstanding':
      return causeOfOutstanding(facts);
    case 'expired':
      return causeOfExpiry(facts);
    case 'terminated':
      if (isNewestPeriodVoided) {
        const text = `Period ${period}, the newest one, was voided, which ended the subscription.`;
        return { kind: 'voided', text, purchaseId };
      }
      return {
        kind: 'cancelledUnpaid',
        text: `It was cancelled${byWhom(facts)} while the payment of period ${period + 1} was outstanding.`,
        ...evidenceOf(attemptOfNextPeriod(facts)),
      };
  }
}

/** The newest attempt, if it is for the period after the newest one. */
function attemptOfNextPeriod({ newest, subscription }: SubscriptionFacts): KnownAttempt | undefined {
  return newest !== undefined && newest.periodIndex > subscription.lastPeriodIndex ? newest : undefined;
}

function evidenceOf(of: KnownAttempt | undefined): Pick<SubscriptionCause, 'attempt'> {
  return of === undefined ? {} : { attempt: { periodIndex: of.periodIndex, attempt: of.attempt } };
}

/** Developers read it as well: it does not name an operator key. */
function byWhom({ cancelledBy, subscription }: SubscriptionFacts): string {
  const by = cancelledBy === null ? '' : ` by the ${publicAuthor(cancelledBy)}`;
  return subscription.cancelReason === '0' ? `${by} for the customer` : by;
}

function causeOfOutstanding(facts: SubscriptionFacts): SubscriptionCause {
  const newest = attemptOfNextPeriod(facts);
  const what = `period ${facts.subscription.lastPeriodIndex + 2}`;
  if (newest?.outcome === 'declined') {
    const text = `Attempt ${newest.attempt} to charge ${what} was declined; another one follows.`;
    return { kind: 'declined', text: pausedToo(text, facts), ...evidenceOf(newest) };
  }
  if (newest !== undefined && newest.outcome === null) {
    const text = newest.wasPending
      ? `The payment gateway responded to attempt ${newest.attempt} for ${what} with pending, and is polled.`
      : `Attempt ${newest.attempt} for ${what} got no clear response, and is sent again with its key.`;
    return { kind: 'noAnswer', text: pausedToo(text, facts), ...evidenceOf(newest) };
  }
  if (facts.isPaused) {
    return { kind: 'paused', text: `Renewals are paused, so ${what} is due and not charged.` };
  }
  return { kind: 'notAttempted', text: `The payment of ${what} is due, and was not attempted yet.` };
}

function pausedToo(text: string, { isPaused }: SubscriptionFacts): string {
  return isPaused ? `${text} Renewals are paused now.` : text;
}

function causeOfExpiry(facts: SubscriptionFacts): SubscriptionCause {
  const { subscription, cancelledBy, renewalAuthor } = facts;
  const newest = attemptOfNextPeriod(facts);
  const what = `period ${subscription.lastPeriodIndex + 2}`;
  if (subscription.consent === 'awaited') {
    const text = `The customer did not consent to ${what}, so it was not charged.`;
    return { kind: 'noConsent', text, purchaseId: subscription.lastPurchaseId };
  }
  // An operator who settles the last attempt by hand is the author of its effect.
  if (newest !== undefined && newest.outcome !== null && newest.settledTime === subscription.cancelledTime) {
    if (newest.outcome === 'paid') {
      const text = `Attempt ${newest.attempt} was paid too late for ${what}, which was recorded and voided.`;
      return { kind: 'overdue', text, ...evidenceOf(newest) };
    }
    const text = `Attempt ${newest.attempt} to charge ${what} was declined, and no other followed.`;
    return { kind: 'declined', text, ...evidenceOf(newest) };
  }
  if (cancelledBy !== renewalAuthor) {
    const text = `Auto-payment was cancelled${byWhom(facts)}, so no period followed.`;
    return { kind: 'cancelled', text, purchaseId: subscription.lastPurchaseId };
  }
  const unclear =
    newest === undefined
      ? 'it was never charged'
      : newest.outcome === null
        ? `attempt ${newest.attempt} has no outcome yet`
        : `attempt ${newest.attempt} was the last one that could begin in time`;
  return {
    kind: 'overdue',
    text: `The payment of ${what} was not made in time: ${unclear}.`,
    ...evidenceOf(newest),
  };
}
