// Reactivates the auto-payment of a cancelled subscription before it expires.

import { Reason } from '../actions.ts';
import { PackageName, PurchaseId } from '../fields.ts';
import { ChangedSubscription } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const reactivateSubscription = {
  operationId: 'reactivateSubscription',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/reactivate',
  summary: 'Reactivate the auto-payment of a subscription',
  description: 'A subscription whose buyer was erased (eraseBuyer) cannot be reactivated.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  body: Reason,
  bodyOptional: true,
  responses: { 200: ChangedSubscription },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
