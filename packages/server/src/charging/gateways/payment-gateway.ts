// The port to the payment gateway (docs/payment-gateway.md). A gateway does not know subscriptions: it receives what to
// charge, and a key that makes a retry harmless.

import type { Period } from '@opentill/contract/periods.ts';
import type { ChargeOutcome } from '../../domain/subscriptions/renewal.ts';

/** One attempt to charge one period, as it is sent. */
export interface ChargeRequest {
  /** Requests with the same key are one charge, however often they are sent (idempotencyKeyOf). */
  readonly idempotencyKey: string;
  readonly packageName: string;
  readonly productId: string;
  readonly firstPurchaseId: string;
  readonly buyerId: string | null;
  readonly developerPayload: string;
  /** The length of the period by the calendar. */
  readonly period: Period;
  /** The period from 0, and the attempt to charge it from 1: the first one that is charged is period 1. */
  readonly periodIndex: number;
  readonly attempt: number;
  readonly price: number;
  readonly currency: string;
  /** The start of the period: the expiryTime of the one before, in ms. */
  readonly startTime: number;
  /** A rehearsal, which the gateway answers without its provider. */
  readonly test?: true;
}

/** The outcome of a charge; `reason` and the HTTP status are logged for the operator. */
export type ChargeAnswer =
  | { readonly outcome: Exclude<ChargeOutcome, 'unknown'> }
  | { readonly outcome: 'unknown'; readonly reason: string; readonly status?: number | undefined };

export interface PaymentGateway {
  /** Resolves within a time limit and never rejects: every failure, including an abort, is `unknown`. */
  charge(request: ChargeRequest, signal?: AbortSignal): Promise<ChargeAnswer>;
}

/** The same gateway, which calls `onCharged` with each outcome. */
export function countedGateway(
  gateway: PaymentGateway,
  onCharged: (outcome: ChargeOutcome) => void,
): PaymentGateway {
  return {
    async charge(request, signal) {
      const answer = await gateway.charge(request, signal);
      onCharged(answer.outcome);
      return answer;
    },
  };
}
