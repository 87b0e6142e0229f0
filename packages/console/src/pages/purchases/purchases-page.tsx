// The purchases of all apps, of an app or of a buyer.

import { Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { PageHeading } from '../../parts/page-heading.tsx';
import { isProduction } from '../../runtime/page.ts';
import { purchasesFields, storePurchasesFields } from './purchases-fields.ts';
import { PurchasesList } from './purchases-list.tsx';

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
      <PurchasesList
        packageName={packageName}
        fields={packageName === undefined ? storePurchasesFields : purchasesFields}
        search={search}
      />
    </Stack>
  );
}
