// The filters of listPurchases.

import type { FilterFields } from '../../parts/filter-fields.ts';

const app = { packageName: { label: 'App', isApp: true } } as const satisfies FilterFields;
const time = {
  from: { label: 'From', isTime: true },
  to: { label: 'To', isTime: true },
} as const satisfies FilterFields;

export const appPurchasesFields = {
  state: {
    label: 'State',
    options: { completed: 'completed', consumed: 'consumed', voided: 'voided' },
  },
  productId: { label: 'Product' },
  buyerId: { label: 'Buyer' },
  ...time,
} as const satisfies FilterFields;

/** Without an app, the others need one. */
export const storePurchasesFields = {
  ...app,
  state: { label: 'State', options: { voided: 'voided' } },
  buyerId: { label: 'Buyer' },
  ...time,
} as const satisfies FilterFields;

export const purchasesFields = { ...app, ...appPurchasesFields } as const satisfies FilterFields;
