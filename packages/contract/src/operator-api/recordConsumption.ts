// Marks a purchase as consumed for the store, where the device consumes; a retried call changes nothing.

import { PackageName, PurchaseId } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const recordConsumption = {
  operationId: 'recordConsumption',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/consumption',
  summary: 'Record that a purchase was consumed',
  description:
    "For a store whose devices consume purchases. It does what consumePurchase of the app's backend does, and the developer gets the same event. The response is the record, also if the purchase was consumed before.",
  roles: ['record', 'support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  responses: { 200: Purchase },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
