// Changes the price of the periods that follow the present one (docs/decisions/subscriptions.md).

import { decideQuestion } from './auto-payment.ts';
import { isBeforeRenewal, lastsStill, type RenewableSubscription } from './renewal.ts';
import { renewalPriceOf, type Subscription } from './subscription.ts';

/** `same`: it has this price already, so that a repeated call asks nobody again. */
export type PriceChangeDecision =
  | {
      readonly kind: 'changed';
      readonly priced: Subscription;
      /** Also without auto-payment, if consent is awaited. */
      readonly changed: Subscription;
    }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly expected: string };

/** No attempt sees two prices: attempts exist from the end of the period on, and no price changes from then on. */
export function decidePriceChange(
  subscription: RenewableSubscription,
  { now, price, asks }: { readonly now: number; readonly price: number; readonly asks: boolean },
): PriceChangeDecision {
  if (price === renewalPriceOf(subscription)) return { kind: 'same' };
  if (subscription.terminatedTime !== null) {
    return { kind: 'refused', expected: 'a subscription that has not been terminated' };
  }
  if (!isBeforeRenewal(subscription, now)) return { kind: 'refused', expected: lastsStill };
  const priced = { ...subscription, renewalPrice: price };
  const asked = asks ? decideQuestion(priced, now) : 'same';
  return { kind: 'changed', priced, changed: typeof asked === 'string' ? priced : asked.changed };
}
