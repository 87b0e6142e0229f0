// The purchases of an app, newest first.

import { useParams, useSearch } from '@tanstack/react-router';
import { appPurchasesFields } from '../purchases/purchases-fields.ts';
import { PurchasesList } from '../purchases/purchases-list.tsx';

export function AppPurchases() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/purchases' });
  return <PurchasesList packageName={packageName} fields={appPurchasesFields} search={search} />;
}
