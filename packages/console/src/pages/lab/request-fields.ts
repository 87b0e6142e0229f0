// The filters of the logged calls of an app, in the address of the lab.

import type { FilterFields, Search } from '../../parts/filter-fields.ts';

const same = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

const purchaseOperations = [
  'getAccessToken',
  'getPurchaseDetails',
  'getPurchaseDetailsByProductId',
  'getRecurringPurchaseDetails',
  'getLastRecurringPurchaseDetails',
  'manageRecurringPaymentStatus',
  'getVoidedPurchases',
  'consumePurchase',
] as const;

export const requestFields = {
  operationId: { label: 'Operation', options: same(purchaseOperations) },
  status: {
    label: 'Status',
    options: same(['200', '400', '401', '404', '409', '413', '429', '431', '500', '503']),
  },
} as const satisfies FilterFields;

export function requestFilterOf({ operationId, status }: Search) {
  return {
    ...(operationId !== undefined && { operationId }),
    ...(status !== undefined && { status: Number(status) }),
  };
}
