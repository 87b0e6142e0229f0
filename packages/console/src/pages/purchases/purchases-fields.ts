// The filters of the lists of purchases.

import type { FilterFields } from '../../parts/filter-fields.ts';

/** Those of listPurchases. */
export const appPurchasesFields = {
  state: {
    label: 'State',
    options: { completed: 'completed', consumed: 'consumed', voided: 'voided' },
  },
  productId: { label: 'Product' },
  buyerId: { label: 'Buyer' },
  from: { label: 'From', isTime: true },
  to: { label: 'To', isTime: true },
} as const satisfies FilterFields;

const app = { packageName: { label: 'App', isApp: true } } as const satisfies FilterFields;

/** Without an app: those of searchPurchases. */
export const storePurchasesFields = {
  ...app,
  buyerId: { label: 'Buyer' },
} as const satisfies FilterFields;

export const purchasesFields = { ...app, ...appPurchasesFields } as const satisfies FilterFields;
