// The filters of listPurchases.

import type { FilterFields } from '../../parts/filter-fields.ts';

const app = { packageName: { label: 'App', isApp: true } } as const satisfies FilterFields;
/** Both days are inclusive. */
const days = {
  from: { label: 'From', isDay: true },
  to: { label: 'To', isDay: true },
} as const satisfies FilterFields;

export const appPurchasesFields = {
  state: {
    label: 'State',
    options: { completed: 'completed', consumed: 'consumed', voided: 'voided' },
  },
  productId: { label: 'Product' },
  buyerId: { label: 'Buyer' },
  ...days,
} as const satisfies FilterFields;

/** Without an app, the others need one. */
export const storePurchasesFields = {
  ...app,
  state: { label: 'State', options: { voided: 'voided' } },
  buyerId: { label: 'Buyer' },
  ...days,
} as const satisfies FilterFields;

export const purchasesFields = { ...app, ...appPurchasesFields } as const satisfies FilterFields;
