// Reads the latest purchase of a subscription, by its first purchase id (the specification,
// "getLastRecurringPurchaseDetails").

import { PackageName, PurchaseId } from '../fields.ts';
import { LastRecurringPurchaseDetails } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

export const getLastRecurringPurchaseDetails = {
  operationId: 'getLastRecurringPurchaseDetails',
  method: 'GET',
  path: '/v2/purchase/last-recurring-details/:purchaseId/:packageName',
  summary: 'Read the latest purchase of a subscription',
  description: needsContentType,
  pathParameters: { purchaseId: PurchaseId, packageName: PackageName },
  response: LastRecurringPurchaseDetails,
  foreignPackageError: 'notFound',
  errors: ['unauthorized', 'invalidRequest', 'notFound'],
} as const satisfies PurchaseOperation;
