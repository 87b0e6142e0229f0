// Rejects values of recordPurchase that no sale can have.

import { purchaseTimeAheadMsMax } from '../../domain/purchases/purchase.ts';
import type { SentTerms } from '../../domain/subscriptions/sold-terms.ts';
import { quoteInstant } from '../../domain/text/quoted-value.ts';
import type { ProductRow } from '../../store/apps/products.ts';
import type { PurchaseRow } from '../../store/purchases/purchases.ts';
import { type Refusal, refuseValue } from '../refusal.ts';

/** Rejects terms of a subscription that is none, and a first period with two prices. */
export function refuseTerms(product: ProductRow, sent: SentTerms): Refusal<'invalidRequest'> | undefined {
  const field = sent.firstPeriod === undefined ? 'renewalPrice' : 'firstPeriod';
  if (product.type === 'oneTime' && sent[field] !== undefined) {
    return refuseValue('invalidRequest', `/${field}`, 'expected none for a one-time product');
  }
  if (sent.firstPeriod === undefined || sent.price === undefined) return undefined;
  return refuseValue('invalidRequest', '/price', 'expected none with a firstPeriod, which has a price');
}

/** Rejects a time that the clock of no checkout can have. */
export function refuseTime(
  { purchaseTime }: PurchaseRow,
  now: number,
): Refusal<'invalidRequest'> | undefined {
  const latest = now + purchaseTimeAheadMsMax;
  if (purchaseTime <= latest) return undefined;
  const message = `expected at most ${quoteInstant(latest)}, ${purchaseTimeAheadMsMax} ms after now, got ${quoteInstant(purchaseTime)}`;
  return refuseValue('invalidRequest', '/purchaseTime', message);
}

export function refuseConsumedPeriod(): Refusal<'invalidRequest'> {
  const message = 'expected false for a subscription product, whose periods are never consumed, got true';
  return refuseValue('invalidRequest', '/consumed', message);
}
