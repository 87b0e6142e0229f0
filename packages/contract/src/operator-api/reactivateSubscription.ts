// Reactivates the auto-payment of a cancelled subscription before it expires.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId } from '../fields.ts';
import { ChangedSubscription } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const reactivateSubscription = {
  operationId: 'reactivateSubscription',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/reactivate',
  summary: 'Reactivate the auto-payment of a subscription',
  description:
    'A subscription whose buyer was erased (eraseBuyer) cannot be reactivated. One that awaits consent requires it, and another refuses it: without consent, the call says that a customer who cancelled has come back.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  body: Type.Object(
    {
      consent: Type.Optional(
        Type.Literal('given', { description: 'The customer consented to what the store asked for.' }),
      ),
      ...reasonFields,
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: ChangedSubscription },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
