// Reactivates the auto-payment of a subscription, as the customer would in the store.

import { PurchaseId } from '../fields.ts';
import { reactivateSubscription as operatorOperation } from '../operator-api/reactivateSubscription.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const reactivateSubscription = {
  operationId: 'reactivateSubscription',
  method: 'POST',
  path: '/sandbox/v1/subscriptions/:firstPurchaseId/reactivate',
  summary: operatorOperation.summary,
  pathParameters: { firstPurchaseId: PurchaseId },

  responses: operatorOperation.responses,
  problems: ['notFound', 'conflict'],
} as const satisfies SandboxOperation;
