// Reads the whole record of a purchase, who changed it, and what its void would change.

import { PackageName, PurchaseId } from '../fields.ts';
import { PurchaseWithHistory } from '../purchase-with-history.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getPurchase = {
  operationId: 'getPurchase',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId',
  summary: 'Read a purchase with its history, and what its void would change',
  roles: ['record', 'read', 'support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  responses: { 200: PurchaseWithHistory },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
