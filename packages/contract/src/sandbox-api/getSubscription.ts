// Reads a subscription of the token's app with its months.

import { PurchaseId } from '../fields.ts';
import { getSubscription as operatorOperation } from '../operator-api/getSubscription.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const getSubscription = {
  operationId: 'getSubscription',
  method: 'GET',
  path: '/sandbox/v1/subscriptions/:firstPurchaseId',
  summary: operatorOperation.summary,
  pathParameters: { firstPurchaseId: PurchaseId },

  responses: operatorOperation.responses,
  problems: ['notFound'],
} as const satisfies SandboxOperation;
