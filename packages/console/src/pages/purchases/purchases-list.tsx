// The purchases of an app, or those of all apps, newest first.

import type { OperatorOperations } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { appInstantOf } from '../../parts/app-instant.ts';
import { Empty } from '../../parts/empty.tsx';
import type { FilterFields, Search } from '../../parts/filter-fields.ts';
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
            from: await appInstantOf(search['from'], packageName),
            to: await appInstantOf(search['to'], packageName),
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

interface StorePurchasesListProps {
  readonly buyerId?: string | undefined;
  readonly fields: FilterFields;
  readonly search: Search;
  readonly summary?: (purchases: readonly Purchase[]) => ReactNode;
}

type Purchase = Awaited<ReturnType<OperatorOperations['searchPurchases']>>['purchases'][number];

/** The purchases of all apps, or those of a buyer in them. */
export function StorePurchasesList({ buyerId, ...list }: StorePurchasesListProps) {
  const isOfBuyer = buyerId !== undefined;
  return (
    <PageList
      {...list}
      label={isOfBuyer ? 'Purchases of the buyer' : 'Purchases'}
      queryKey={['purchases', isOfBuyer ? 'buyer' : 'store']}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.searchPurchases({ buyerId, ...page }, { signal });
        return { rows: purchases, nextPageToken };
      }}
      keyOf={({ packageName, purchaseId }) => `${packageName} ${purchaseId}`}
      columns={[
        purchase,
        time,
        app,
        product,
        'orderId',
        ...(isOfBuyer ? [] : [buyer]),
        state,
        price,
        'currency',
      ]}
      empty={<Empty text={isOfBuyer ? 'No purchase has this buyer id.' : 'There are no purchases yet.'} />}
      fileName={isOfBuyer ? 'purchases-of-buyer' : 'purchases'}
    />
  );
}
