// What was sold, as the store calls it.

import type { Purchase, PurchaseWithHistory } from '@opentill/client/operator';
import { LongText } from '../values/long-text.tsx';
import { Money } from '../values/money.tsx';

type SoldFields = Pick<PurchaseWithHistory, 'productTitle' | 'productId'>;

export function productName({ productTitle, productId }: SoldFields): string {
  return productTitle ?? productId;
}

/** With its price: "100 coins, €4.99". */
export function Sold({ record }: { readonly record: SoldFields & Pick<Purchase, 'price' | 'currency'> }) {
  return (
    <>
      <LongText text={productName(record)} />, <Money {...record} />
    </>
  );
}
