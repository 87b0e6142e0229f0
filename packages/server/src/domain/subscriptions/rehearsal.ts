// Foresees what becomes of a subscription until an instant, by the rules that charge and with an exact clock: each step happens
// at the instant at which it falls due.

import { hash } from 'node:crypto';
import type { ChargeRetries } from './charge-times.ts';
import {
  type Attempt,
  type AttemptNumber,
  decideDueWork,
  decideExpiry,
  decideSettlement,
  dueTimeOf,
  type RenewableSubscription,
  type SettledOutcome,
  type Settlement,
} from './renewal.ts';
import { priceOf, renewalPriceOf } from './subscription.ts';

/** What an assumed gateway answers. */
export type AssumedAnswer = (subscription: RenewableSubscription, attempt: AttemptNumber) => SettledOutcome;

export interface RehearsalRules {
  /** What is overdue then happens then. */
  readonly from: number;
  /** The last instant, inclusive. */
  readonly until: number;
  readonly retries: ChargeRetries;
  readonly answer: AssumedAnswer;
}

/** An attempt, or the end of the paid time without one. */
export interface RehearsedStep {
  readonly instant: number;
  /**
   * `trialEnds`: the first charge after a first period of its own. Without a charge, auto-payment being off: `lastPeriod` ends,
   * or `awaitsConsent` of the customer, who may still give it.
   */
  readonly kind: 'trialEnds' | 'renewal' | 'lastPeriod' | 'awaitsConsent';
  /** The period to be paid, and its price. */
  readonly periodIndex: number;
  readonly price: number;
  /** 0: nothing is charged. */
  readonly attempt: number;
  readonly change: Settlement['kind'];
  /** The attempt was open before: its outcome is known to the gateway only. */
  readonly isOpen: boolean;
}

/** Yields each step in its order. `newest` is the newest attempt. */
export function* rehearse(
  subscription: RenewableSubscription,
  newest: Attempt | undefined,
  { from, until, retries, answer }: RehearsalRules,
): Generator<RehearsedStep, void, undefined> {
  let [now, current, last] = [from, subscription, newest];
  for (;;) {
    now = Math.max(now, dueTimeOf(current) ?? Number.POSITIVE_INFINITY);
    if (now > until) return;
    const due = decideDueWork(current, { now, newest: last });
    if (due === undefined) return;
    const isOpen = current.openChargeTime !== null;
    const number = due.kind === 'attempt' ? due.number : due.kind === 'retry' ? last : undefined;
    if (number === undefined) {
      yield { ...endOf(current), instant: now, change: decideExpiry(current, now).kind, isOpen };
      return;
    }
    const { periodIndex, attempt } = number;
    const price = priceOf(current, periodIndex);
    // No gateway is asked about a period that costs 0.
    const outcome = price === 0 ? 'paid' : answer(current, number);
    const by = { outcome, now, purchaseId: current.lastPurchaseId, retries };
    const settlement = decideSettlement(current, number, by);
    yield {
      kind: kindOf(current, periodIndex),
      instant: now,
      periodIndex,
      price,
      attempt,
      change: settlement.kind,
      isOpen,
    };
    if (settlement.kind !== 'renewed' && settlement.kind !== 'failed') return;
    last = { periodIndex, attempt, outcome, wasPending: false, begunTime: now };
    current = { ...current, ...settlement.changed, openChargeTime: null };
  }
}

function kindOf({ firstPeriod }: RenewableSubscription, periodIndex: number): 'trialEnds' | 'renewal' {
  return periodIndex === 1 && firstPeriod !== null ? 'trialEnds' : 'renewal';
}

/** The period that is not charged: auto-payment is off, or it is too late for one. */
function endOf(
  subscription: RenewableSubscription,
): Pick<RehearsedStep, 'kind' | 'periodIndex' | 'price' | 'attempt'> {
  const periodIndex = subscription.lastPeriodIndex + 1;
  const off = subscription.consent === 'awaited' ? 'awaitsConsent' : 'lastPeriod';
  const kind = subscription.autoRenewing ? kindOf(subscription, periodIndex) : off;
  return { kind, periodIndex, price: renewalPriceOf(subscription), attempt: 0 };
}

/** Declines a share of the attempts, 0 to 1: the same ones each time, in whatever order they are asked. */
export function declinedShare(share: number, seed: number, packageName: string): AssumedAnswer {
  if (share === 0) return () => 'paid';
  return ({ firstPurchaseId }, { periodIndex, attempt }) =>
    fraction(`${seed}/${packageName}/${firstPurchaseId}/${periodIndex}/${attempt}`) < share
      ? 'declined'
      : 'paid';
}

/** Spread evenly over 0 to 1. */
function fraction(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE() / 2 ** 32;
}
