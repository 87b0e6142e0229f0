// What a call of recordPurchase fixes of a subscription: its first period, and its prices.

import { renewalPriceOf, type Subscription } from './subscription.ts';

/** Undefined if a term was not sent. */
export interface SentTerms {
  readonly price?: number | undefined;
  readonly firstPeriod?: { readonly length: string; readonly price: number };
  readonly renewalPrice?: number;
}

type SoldTerms = Pick<Subscription, 'price' | 'renewalPrice' | 'firstPeriod'>;

/** Without a renewalPrice, only a first period of its own has another price than the periods after it. */
export function soldTerms({ firstPeriod, ...sent }: SentTerms, productPrice: number): SoldTerms {
  const regularPrice = sent.price ?? productPrice;
  const price = firstPeriod?.price ?? regularPrice;
  const renewalPrice = sent.renewalPrice ?? regularPrice;
  return {
    price,
    renewalPrice: renewalPrice === price ? null : renewalPrice,
    firstPeriod: firstPeriod?.length ?? null,
  };
}

/**
 * Returns the names of the terms that differ from the sold ones (docs/decisions/purchases.md); undefined: no subscription
 * was sold.
 */
export function compareTerms(
  sold: SoldTerms | undefined,
  { firstPeriod, renewalPrice }: SentTerms,
): ('firstPeriod' | 'renewalPrice')[] {
  const isOtherFirst =
    (sold?.firstPeriod ?? null) !== (firstPeriod?.length ?? null) ||
    (firstPeriod !== undefined && sold?.price !== firstPeriod.price);
  // Next to a first period, a price that was not sent is that of the product, which may have changed.
  const soldPrice = sold && renewalPriceOf(sold);
  const wasPriceSent = sold !== undefined && soldPrice !== sold.price && sold.firstPeriod === null;
  const isOtherPrice = renewalPrice === undefined ? wasPriceSent : renewalPrice !== soldPrice;
  return [
    ...(isOtherFirst ? (['firstPeriod'] as const) : []),
    ...(isOtherPrice ? (['renewalPrice'] as const) : []),
  ];
}
