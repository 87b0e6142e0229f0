// A payment gateway that responds when a test says so.

import type {
  ChargeAnswer,
  PaymentGateway,
} from '../../src/operations/subscriptions/gateways/payment-gateway.ts';

export interface HeldGateway extends PaymentGateway {
  /** Charges that wait for a response, by key. */
  readonly waiting: ReadonlyMap<string, (answer: ChargeAnswer) => void>;
  /** Keys of all received charges, in order. */
  readonly asked: readonly string[];
  /** Responds to all waiting charges. */
  answer(answer: ChargeAnswer): void;
  /** Responds to all waiting charges, and to later ones at once. */
  answerAlways(answer: ChargeAnswer): void;
}

export function heldGateway(): HeldGateway {
  const waiting = new Map<string, (answer: ChargeAnswer) => void>();
  const asked: string[] = [];
  const state: { always: ChargeAnswer | undefined } = { always: undefined };
  const answer = (given: ChargeAnswer): void => {
    for (const [key, give] of waiting) {
      waiting.delete(key);
      give(given);
    }
  };
  return {
    waiting,
    asked,
    answer,
    answerAlways(given) {
      state.always = given;
      answer(given);
    },
    charge({ idempotencyKey }, signal) {
      asked.push(idempotencyKey);
      if (state.always !== undefined) return Promise.resolve(state.always);
      return new Promise((give) => {
        waiting.set(idempotencyKey, give);
        signal?.addEventListener('abort', () => give({ outcome: 'unknown', reason: 'called off' }));
      });
    },
  };
}
