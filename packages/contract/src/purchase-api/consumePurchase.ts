// Marks a purchase as consumed, once (the specification, "consumePurchase").

import { PackageName, PurchaseId } from '../fields.ts';
import { ConsumptionResult } from '../resources.ts';
import { needsContentType, type PurchaseOperation } from './purchase-operation.ts';

export const consumePurchase = {
  operationId: 'consumePurchase',
  method: 'POST',
  path: '/v2/purchase/consume/:purchaseId/:packageName',
  summary: 'Mark a purchase as consumed',
  description: needsContentType,
  pathParameters: { purchaseId: PurchaseId, packageName: PackageName },
  response: ConsumptionResult,
  foreignPackageError: 'notPurchaseCompleted',
  errors: [
    'unauthorized',
    'invalidRequest',
    'notPurchaseCompleted',
    'consumptionUnchangeable',
    'multipleRecords',
  ],
} as const satisfies PurchaseOperation;
