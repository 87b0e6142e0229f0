// Cancels the auto-payment of a subscription, as the customer would in the store.

import { PurchaseId } from '../fields.ts';
import { cancelSubscription as operatorOperation } from '../operator-api/cancelSubscription.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const cancelSubscription = {
  operationId: 'cancelSubscription',
  method: 'POST',
  path: '/sandbox/v1/subscriptions/:firstPurchaseId/cancel',
  summary: operatorOperation.summary,
  pathParameters: { firstPurchaseId: PurchaseId },
  body: operatorOperation.body,
  bodyOptional: true,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies SandboxOperation;
