// The purchases of an app, newest first.

import type { OperatorOperations } from '@opentill/client/operator';
import { useParams, useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { instantOf } from '../../parts/instant-filter.ts';
import { LongText } from '../../parts/long-text.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { purchaseColumns } from '../purchases/purchase-columns.tsx';
import { purchasesFields } from './fields.ts';

const { purchase, time, product, price } = purchaseColumns;

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
        purchase,
        time,
        product,
        'orderId',
        {
          title: 'Buyer',
          name: 'buyerId',
          cell: ({ buyerId: buyer }) =>
            buyer === undefined ? (
              '-'
            ) : (
              <PageLink {...linkTo.buyer(buyer)} inherit>
                <LongText text={buyer} />
              </PageLink>
            ),
        },
        purchaseColumns.state,
        price,
        'currency',
      ]}
      empty={
        <Empty
          text="This app has no purchases yet. This call records one:"
          calls={[
            { method: 'POST', path: `/apps/${packageName}/purchases`, body: { productId: 'coins_100' } },
          ]}
        />
      }
      fileName={`purchases-of-${packageName}`}
    />
  );
}
