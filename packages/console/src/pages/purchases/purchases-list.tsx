// The purchases of an app or of all apps, newest first.

import { client } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import type { FilterFields, Search } from '../../parts/filter-fields.ts';
import { PageList } from '../../parts/page-list.tsx';
import { useTimeZone } from '../../parts/preferences.ts';
import { startOfDay } from '../../parts/wall-time.ts';
import { dayAfter } from '../reports/days.ts';
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
}

export function PurchasesList({ packageName, buyerId, fields, search }: PurchasesListProps) {
  const isOfBuyer = buyerId !== undefined;
  const timeZone = useTimeZone();
  const { from, to } = search;
  return (
    <PageList
      label={isOfBuyer ? 'Purchases of the buyer' : 'Purchases'}
      fields={fields}
      search={search}
      queryKey={['purchases', isOfBuyer ? 'buyer' : packageName, timeZone]}
      load={async (page, signal) => {
        const { purchases, nextPageToken } = await client.listPurchases(
          {
            packageName,
            productId: search['productId'],
            buyerId: buyerId ?? search['buyerId'],
            // The route accepts no other value.
            state: search['state'] as ListParameters['state'],
            from: from === undefined ? undefined : startOfDay(from, timeZone),
            to: to === undefined ? undefined : startOfDay(dayAfter(to, 1), timeZone),
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
