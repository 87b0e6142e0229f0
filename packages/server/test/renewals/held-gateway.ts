// A payment gateway that responds when a test says so.

import type { ChargeAnswer, PaymentGateway } from '../../src/charging/gateways/payment-gateway.ts';

export interface HeldGateway extends PaymentGateway {
  /** Charges that wait for a response, by key. */
  readonly waiting: ReadonlyMap<string, (answer: ChargeAnswer) => void>;
  /** Keys of all received charges, in order. */
  readonly asked: readonly string[];
  /** Responds to all waiting charges, or to those of an app. */
  answer(answer: ChargeAnswer, packageName?: string): void;
}

export function heldGateway(): HeldGateway {
  const waiting = new Map<string, (answer: ChargeAnswer) => void>();
  const asked: string[] = [];
  return {
    waiting,
    asked,
    answer(given, packageName = '') {
      for (const [key, give] of waiting) {
        if (!key.includes(`/${packageName}`)) continue;
        waiting.delete(key);
        give(given);
      }
    },
    charge({ idempotencyKey }, signal) {
      asked.push(idempotencyKey);
      return new Promise((give) => {
        waiting.set(idempotencyKey, give);
        signal?.addEventListener('abort', () => give({ outcome: 'unknown', reason: 'called off' }));
      });
    },
  };
}
