// What is due for a subscription changes its type three times: a charge begins, is answered, and is settled.

import type { AttemptNumber, Settlement } from '../domain/subscriptions/renewal.ts';
import type { ListedAttempt } from '../store/subscriptions/attempt-lists.ts';
import type { AttemptChange, Unanswered } from '../store/subscriptions/renewal-attempts.ts';
import type { SubscriptionRow } from '../store/subscriptions/subscriptions.ts';
import type { ChargeAnswer, ChargeRequest } from './gateways/payment-gateway.ts';

/** A charge that has begun, or the end of a subscription that is charged no more. */
export interface Charge {
  readonly firstPurchaseId: string;
  readonly dueTime: number;
  /** When it began, an instant of the app. */
  readonly instant: number;
  /** Undefined if the subscription expires, or its open charge will not be sent again: which of the two is decided when it is written. */
  readonly request: ChargeRequest | undefined;
  /** Whether the request was sent before. */
  readonly isRetry: boolean;
  /** When the first of the latest tries of the charge without an answer failed, in real time. */
  readonly unansweredSince: number | null;
  /** The last real instant at which the request may be sent. */
  readonly sendableUntil: number;
}

/** A charge that has ended, with the answer of the gateway or of an operator. */
export interface AnsweredCharge
  extends Pick<Charge, 'firstPurchaseId' | 'dueTime' | 'instant' | 'unansweredSince'> {
  /** Undefined if nothing was charged. */
  readonly charged:
    | (AttemptNumber & { readonly idempotencyKey: string; readonly answer: ChargeAnswer })
    | undefined;
}

/** What an answered charge changes of its subscription, which the transaction has locked. */
export interface SettledCharge {
  readonly row: SubscriptionRow;
  readonly instant: number;
  readonly settlement: Settlement;
  /** What becomes of the open attempt; undefined if there is none. */
  readonly attempt?: AttemptNumber &
    Pick<AttemptChange, 'outcome' | 'nextTryTime' | 'wasPending' | keyof Unanswered>;
  /** The attempt that was settled as declined and has been paid. */
  readonly latePaid?: ListedAttempt;
}
