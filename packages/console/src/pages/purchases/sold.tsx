// What was sold, for how much.

import type { Purchase } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { productTitleQuery } from '../../api/purchase.ts';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';

export function Sold({ purchase }: { readonly purchase: Purchase }) {
  const { data: title = purchase.productId } = useQuery(productTitleQuery(purchase));
  return (
    <>
      <LongText text={title} />, <Money price={purchase.price} currency={purchase.currency} />
    </>
  );
}
