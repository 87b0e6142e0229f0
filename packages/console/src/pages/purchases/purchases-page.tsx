// The purchases of all apps, of an app or of a buyer.

import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { SearchOf } from '../../parts/filter-fields.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { purchasesFields, storePurchasesFields } from './purchases-fields.ts';
import { AppPurchasesList, StorePurchasesList } from './purchases-list.tsx';

export function PurchasesPage() {
  const search = useSearch({ from: '/frame/purchases' });
  return (
    <Stack gap="lg">
      <PageHeading title="Purchases" />
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
