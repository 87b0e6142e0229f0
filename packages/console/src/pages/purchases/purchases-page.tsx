// The purchases of all apps, of an app or of a buyer.

import { Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { SearchOf } from '../../parts/filter-fields.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { isProduction } from '../../runtime/page.ts';
import { purchasesFields, storePurchasesFields } from './purchases-fields.ts';
import { AppPurchasesList, StorePurchasesList } from './purchases-list.tsx';

export function PurchasesPage() {
  const search = useSearch({ from: '/frame/purchases' });
  const { packageName } = search;
  return (
    <Stack gap="lg">
      <PageHeading title="Purchases">
        {!isProduction && packageName === undefined && (
          <Text size="sm" c="dimmed">
            Newest first by the clocks of the apps: choose an app to see its latest purchases.
          </Text>
        )}
      </PageHeading>
      <Purchases search={search} />
    </Stack>
  );
}

function Purchases({ search }: { readonly search: SearchOf<typeof purchasesFields> }) {
  const { packageName, buyerId } = search;
  return packageName === undefined ? (
    <StorePurchasesList buyerId={buyerId} fields={storePurchasesFields} search={search} />
  ) : (
    <AppPurchasesList packageName={packageName} fields={purchasesFields} search={search} />
  );
}
