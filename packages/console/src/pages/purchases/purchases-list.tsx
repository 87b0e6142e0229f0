// The purchases of an app, or those of a buyer in all apps, newest first.

import type { OperatorOperations } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import type { FilterFields, Search } from '../../parts/filter-fields.ts';
import { instantOf } from '../../parts/instant-filter.ts';
import { PageList } from '../../parts/page-list.tsx';
import { purchaseColumns } from './purchase-columns.tsx';

const { purchase, time, app, product, buyer, state, price } = purchaseColumns;

type State = Parameters<OperatorOperations['listPurchases']>[0]['state'];

interface AppPurchasesListProps {
  readonly packageName: string;
  readonly fields: FilterFields;
  readonly search: Search;
}

export function AppPurchasesList({ packageName, fields, search }: AppPurchasesListProps) {
  return (
    <PageList
      label="Purchases"
      fields={fields}
      search={search}
      queryKey={['purchases', packageName]}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.listPurchases(
          {
            packageName,
            productId: search['productId'],
            buyerId: search['buyerId'],
            // The route accepts no other value.
            state: search['state'] as State,
            from: instantOf(search['from']),
            to: instantOf(search['to']),
            ...page,
          },
          { signal },
        );
        return { rows: purchases, nextPageToken };
      }}
      keyOf={({ purchaseId }) => purchaseId}
      columns={[purchase, time, product, 'orderId', buyer, state, price, 'currency']}
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

interface BuyerPurchasesListProps {
  readonly buyerId: string;
  readonly fields: FilterFields;
  readonly search: Search;
  readonly summary?: (purchases: readonly Purchase[]) => ReactNode;
}

type Purchase = Awaited<ReturnType<OperatorOperations['searchPurchases']>>['purchases'][number];

export function BuyerPurchasesList({ buyerId, ...list }: BuyerPurchasesListProps) {
  return (
    <PageList
      {...list}
      label="Purchases of the buyer"
      queryKey={['purchases', 'buyer']}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.searchPurchases({ buyerId, ...page }, { signal });
        return { rows: purchases, nextPageToken };
      }}
      keyOf={({ packageName, purchaseId }) => `${packageName} ${purchaseId}`}
      columns={[purchase, time, app, product, 'orderId', state, price, 'currency']}
      empty={<Empty text="No purchase has this buyer id." />}
      fileName="purchases-of-buyer"
    />
  );
}
