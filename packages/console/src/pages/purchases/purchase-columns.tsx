// The columns of lists of purchases.

import type { Purchase } from '@opentill/client/operator';
import { Id } from '../../parts/id.tsx';
import { LongText, ShortName } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { PurchaseState, stateOf } from '../../parts/purchase-state.tsx';
import type { Column } from '../../parts/records.tsx';

export const purchaseColumns = {
  purchase: {
    title: 'Purchase',
    name: 'purchaseId',
    cell: (purchase) => (
      <Id value={purchase.purchaseId} what="purchase id" link={linkTo.purchase(purchase)} />
    ),
  },
  time: {
    title: 'Time',
    clock: 'app',
    name: 'purchaseTime',
    time: ({ purchaseTime }) => purchaseTime,
  },
  app: { title: 'App', name: 'packageName', cell: ({ packageName }) => <ShortName text={packageName} /> },
  product: { title: 'Product', name: 'productId', cell: ({ productId }) => <LongText text={productId} /> },
  buyer: {
    title: 'Buyer',
    name: 'buyerId',
    cell: ({ buyerId }) =>
      buyerId === undefined ? (
        '-'
      ) : (
        <PageLink {...linkTo.buyer(buyerId)} inherit>
          <LongText text={buyerId} />
        </PageLink>
      ),
  },
  state: {
    title: 'State',
    name: 'state',
    value: stateOf,
    cell: (purchase) => <PurchaseState purchase={purchase} />,
  },
  price: { title: 'Price', name: 'price', align: 'right', cell: (purchase) => <Money {...purchase} /> },
} as const satisfies Readonly<Record<string, Column<Purchase>>>;
