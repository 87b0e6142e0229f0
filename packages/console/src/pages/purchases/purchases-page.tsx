// The purchases of an app, or those of a buyer in all apps.

import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { AppLinks } from '../../parts/app-links.tsx';
import type { SearchOf } from '../../parts/filter-fields.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { purchasesFields, storePurchasesFields } from './purchases-fields.ts';
import { AppPurchasesList, BuyerPurchasesList } from './purchases-list.tsx';

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
  if (packageName !== undefined) {
    return <AppPurchasesList packageName={packageName} fields={purchasesFields} search={search} />;
  }
  if (buyerId !== undefined) {
    return <BuyerPurchasesList buyerId={buyerId} fields={storePurchasesFields} search={search} />;
  }
  return (
    <AppLinks
      fields={storePurchasesFields}
      search={search}
      text="Choose an app, or enter a buyer id. The find box opens a purchase by its id or order id."
    />
  );
}
