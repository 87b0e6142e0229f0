// The purchases of an app or of all apps, newest first.

import type { Purchase } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { appInstantOf } from '../../parts/app-instant.ts';
import { Empty } from '../../parts/empty.tsx';
import type { FilterFields, Search } from '../../parts/filter-fields.ts';
import { PageList } from '../../parts/page-list.tsx';
import { purchaseColumns } from './purchase-columns.tsx';

const { purchase, time, app, product, buyer, state, price } = purchaseColumns;

type ListParameters = NonNullable<Parameters<typeof client.listPurchases>[0]>;

interface PurchasesListProps {
  /** undefined: all apps. */
  readonly packageName?: string | undefined;
  /** Of a buyer, instead of the filter. */
  readonly buyerId?: string | undefined;
  readonly fields: FilterFields;
  readonly search: Search;
  readonly summary?: (purchases: readonly Purchase[]) => ReactNode;
}

export function PurchasesList({ packageName, buyerId, fields, search, ...list }: PurchasesListProps) {
  const isOfBuyer = buyerId !== undefined;
  return (
    <PageList
      {...list}
      label={isOfBuyer ? 'Purchases of the buyer' : 'Purchases'}
      fields={fields}
      search={search}
      queryKey={['purchases', isOfBuyer ? 'buyer' : packageName]}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.listPurchases(
          {
            packageName,
            productId: search['productId'],
            buyerId: buyerId ?? search['buyerId'],
            // The route accepts no other value.
            state: search['state'] as ListParameters['state'],
            from: await appInstantOf(search['from'], packageName),
            to: await appInstantOf(search['to'], packageName),
            ...page,
          },
          { signal },
        );
        return { rows: purchases, nextPageToken };
      }}
      keyOf={({ packageName: own, purchaseId }) => `${own} ${purchaseId}`}
      columns={[
        purchase,
        time,
        ...(packageName === undefined ? [app] : []),
        product,
        'orderId',
        ...(isOfBuyer ? [] : [buyer]),
        state,
        price,
        'currency',
        'voidedTime',
        'voidedBy',
      ]}
      empty={
        packageName === undefined ? (
          <Empty text={isOfBuyer ? 'No purchase has this buyer id.' : 'There are no purchases yet.'} />
        ) : (
          <Empty
            text="This app has no purchases yet. This call records one:"
            calls={[
              { method: 'POST', path: `/apps/${packageName}/purchases`, body: { productId: 'coins_100' } },
            ]}
          />
        )
      }
      fileName={isOfBuyer ? 'purchases-of-buyer' : `purchases-of-${packageName ?? 'all-apps'}`}
    />
  );
}
