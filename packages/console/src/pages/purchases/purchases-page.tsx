// The purchases of all apps, of an app or of a buyer, newest first.

import { Stack } from '@mantine/core';
import type { OperatorOperations } from '@opentill/client/operator';
import { useParams, useSearch } from '@tanstack/react-router';
import type { FilterFields, Search } from '../../filters/filter-fields.ts';
import { limitsOf } from '../../filters/instant-filter.ts';
import { appPurchasesFields, purchasesFields, storePurchasesFields } from '../../filters/page-filters.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { useTimeZone } from '../../parts/preferences.ts';
import { saleColumns } from '../../parts/sold.tsx';
import { PurchaseState } from '../../parts/states.tsx';
import { isProduction } from '../../runtime/page.ts';
import { Id } from '../../values/id.tsx';
import { Money } from '../../values/money.tsx';

const note = 'Newest first by the clocks of the apps: choose an app to see its latest purchases.';

export function PurchasesPage() {
  const search = useSearch({ from: '/frame/purchases' });
  const { packageName } = search;
  return (
    <Stack gap="lg">
      <PageHeading title="Purchases" {...(!isProduction && packageName === undefined && { note })} />
      <PurchasesList
        packageName={packageName}
        fields={packageName === undefined ? storePurchasesFields : purchasesFields}
        search={search}
      />
    </Stack>
  );
}

export function AppPurchases() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/purchases' });
  return <PurchasesList packageName={packageName} fields={appPurchasesFields} search={search} />;
}

type State = NonNullable<Parameters<OperatorOperations['listPurchases']>[0]>['state'];

interface PurchasesListProps {
  /** undefined: all apps. */
  readonly packageName?: string | undefined;
  readonly fields: FilterFields;
  readonly search: Search;
}

function PurchasesList({ packageName, fields, search }: PurchasesListProps) {
  const timeZone = useTimeZone();
  const { productId, id, from, to } = search;
  const calls = [
    { method: 'POST', path: `/apps/${packageName}/purchases`, body: { productId: 'coins_100' } },
  ];
  return (
    <PageList
      label="Purchases"
      fields={fields}
      search={search}
      rows="purchases"
      load={(client, page, options) =>
        client.listPurchases(
          {
            packageName,
            productId,
            id,
            // The route accepts no other value.
            state: search['state'] as State,
            ...limitsOf({ from, to }, timeZone),
            ...page,
          },
          options,
        )
      }
      keyOf={({ packageName: own, purchaseId }) => `${own} ${purchaseId}`}
      columns={[
        {
          title: 'Purchase',
          cell: (purchase) => (
            <Id value={purchase.purchaseId} what="purchase id" link={linkTo.purchase(purchase)} />
          ),
        },
        { title: 'Time', clock: 'app', time: ({ purchaseTime }) => purchaseTime },
        ...saleColumns(packageName),
        { title: 'State', cell: (purchase) => <PurchaseState purchase={purchase} /> },
        { title: 'Price', align: 'right', isClear: true, cell: (row) => <Money {...row} /> },
      ]}
      empty={
        packageName === undefined ? (
          <Empty text="There are no purchases yet." />
        ) : (
          <Empty text="This app has no purchases yet. This call records one:" calls={calls} />
        )
      }
      fileName={`purchases-of-${packageName ?? 'all-apps'}`}
    />
  );
}
