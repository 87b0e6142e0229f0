// The port to whoever takes the money of a month (docs/payment-gateway.md). A gateway knows nothing of
// subscriptions: it is told what to charge, and by which key it may be asked the same once more.

import type { ChargeOutcome } from '../../../domain/subscriptions/renewal.ts';

/** One attempt to charge one month. */
export interface Charge {
  /** Equal keys are one charge, however often they are sent (idempotencyKeyOf). */
  readonly idempotencyKey: string;
  readonly packageName: string;
  readonly productId: string;
  readonly firstPurchaseId: string;
  readonly buyerId: string | null;
  readonly developerPayload: string;
  /** The month from 0, and the attempt to charge it from 1. */
  readonly periodIndex: number;
  readonly attempt: number;
  readonly price: number;
  readonly currency: string;
  /** When the month begins: the expiryTime of the one before, ms. */
  readonly startTime: number;
}

/** What became of a charge; where that is not known, `reason` says why, to whoever looks after the gateway. */
export type ChargeAnswer =
  | { readonly outcome: Exclude<ChargeOutcome, 'unknown'> }
  | { readonly outcome: 'unknown'; readonly reason: string };

export interface PaymentGateway {
  /** Answers within a bounded time and never fails: whatever goes wrong, an abort included, is `unknown`. */
  charge(charge: Charge, signal?: AbortSignal): Promise<ChargeAnswer>;
}

/** The same gateway; `onCharged` is told of each outcome. */
export function countedGateway(
  gateway: PaymentGateway,
  onCharged: (outcome: ChargeOutcome) => void,
): PaymentGateway {
  return {
    async charge(charge, signal) {
      const answer = await gateway.charge(charge, signal);
      onCharged(answer.outcome);
      return answer;
    },
  };
}
