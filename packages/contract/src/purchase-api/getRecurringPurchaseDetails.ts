// Reads one period of a subscription, by the purchase id of that period (the specification, "Recurring (monthly)
// purchase details").

import { PackageName, PurchaseId } from '../fields.ts';
import { RecurringPurchaseDetails } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

export const getRecurringPurchaseDetails = {
  operationId: 'getRecurringPurchaseDetails',
  method: 'GET',
  path: '/v2/purchase/recurring-details/:purchaseId/:packageName',
  summary: 'Read the details of a subscription purchase',
  description: needsContentType,
  pathParameters: { purchaseId: PurchaseId, packageName: PackageName },
  response: RecurringPurchaseDetails,
  foreignPackageError: 'notFound',
  errors: ['unauthorized', 'invalidRequest', 'notFound'],
} as const satisfies PurchaseOperation;
