// The purchases of an app, newest first.

import type { OperatorOperations } from '@opentill/client/operator';
import { useParams, useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant, timeTitle } from '../../parts/instant.tsx';
import { instantOf } from '../../parts/instant-filter.ts';
import { LongText } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { PageLink, linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { PurchaseState, stateOf } from '../../parts/purchase-state.tsx';
import { purchasesFields } from './fields.ts';

type State = Parameters<OperatorOperations['listPurchases']>[0]['state'];

export function AppPurchases() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/purchases' });
  const { productId, buyerId, state } = search;
  return (
    <PageList
      label="Purchases"
      fields={purchasesFields}
      search={search}
      queryKey={['purchases', packageName]}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.listPurchases(
          {
            packageName,
            productId,
            buyerId,
            // The route accepts no other value.
            state: state as State,
            from: instantOf(search.from),
            to: instantOf(search.to),
            ...page,
          },
          { signal },
        );
        return { rows: purchases, nextPageToken };
      }}
      keyOf={({ purchaseId }) => purchaseId}
      columns={[
        {
          title: 'Purchase',
          cell: (purchase) => (
            <Id value={purchase.purchaseId} what="purchase id" link={linkTo.purchase(purchase)} />
          ),
        },
        { title: timeTitle('app'), cell: ({ purchaseTime }) => <Instant ms={purchaseTime} /> },
        { title: 'Product', cell: ({ productId: product }) => <LongText text={product} /> },
        {
          title: 'Buyer',
          cell: ({ buyerId: buyer }) =>
            buyer === undefined ? (
              '-'
            ) : (
              <PageLink {...linkTo.buyer(buyer)} inherit>
                <LongText text={buyer} />
              </PageLink>
            ),
        },
        { title: 'State', cell: (purchase) => <PurchaseState purchase={purchase} /> },
        { title: 'Price', align: 'right', cell: (purchase) => <Money {...purchase} /> },
      ]}
      empty={
        <Empty
          text="This app has no purchases yet. This call records one:"
          calls={[
            { method: 'POST', path: `/apps/${packageName}/purchases`, body: { productId: 'coins_100' } },
          ]}
        />
      }
      csv={{
        fileName: `purchases-of-${packageName}`,
        columns: {
          purchaseId: ({ purchaseId }) => purchaseId,
          purchaseTime: ({ purchaseTime }) => purchaseTime,
          productId: ({ productId: product }) => product,
          orderId: ({ orderId }) => orderId,
          buyerId: ({ buyerId: buyer }) => buyer,
          state: stateOf,
          price: ({ price }) => price,
          currency: ({ currency }) => currency,
        },
      }}
    />
  );
}
