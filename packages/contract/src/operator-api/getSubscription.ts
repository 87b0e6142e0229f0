// Reads a subscription with its months by its first purchase id.

import { PackageName, PurchaseId } from '../fields.ts';
import { Subscription } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getSubscription = {
  operationId: 'getSubscription',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId',
  summary: 'Read a subscription with its months',
  roles: ['record', 'support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  responses: { 200: Subscription },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
