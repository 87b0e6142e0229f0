// Voids a purchase of the token's app, as the store would.

import { PurchaseId } from '../fields.ts';
import { voidPurchase as operatorOperation } from '../operator-api/voidPurchase.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const voidPurchase = {
  operationId: 'voidPurchase',
  method: 'POST',
  path: '/sandbox/v1/purchases/:purchaseId/void',
  summary: operatorOperation.summary,
  pathParameters: { purchaseId: PurchaseId },
  body: operatorOperation.body,
  bodyOptional: true,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies SandboxOperation;
