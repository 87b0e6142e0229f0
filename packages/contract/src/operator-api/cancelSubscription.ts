// Cancels the auto-payment of a subscription for its customer or for the store.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId } from '../fields.ts';
import { ChangedSubscription } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const cancelSubscription = {
  operationId: 'cancelSubscription',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/cancel',
  summary: 'Cancel the auto-payment of a subscription',
  description:
    'Access lasts until expiryTime. If a payment is outstanding, the subscription ends immediately. With consent, auto-payment is off until the customer consents: the backend of the app cannot reactivate it, and reactivateSubscription with consent does. 409 from expiryTime on. Asking again changes nothing. Asking where auto-payment is off already leaves its reason and time as they are; then only the store may reactivate it.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  body: Type.Object(
    {
      reason: Type.Optional(
        Type.Union([Type.Literal('customer'), Type.Literal('system')], {
          description:
            'Who initiated it: the customer (cancelReason "0", the default) or the store (cancelReason "1").',
        }),
      ),
      consent: Type.Optional(
        Type.Literal('awaited', {
          description: 'Auto-payment is off until the customer consents; the reason is system.',
        }),
      ),
      ...reasonFields,
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: ChangedSubscription },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
