// Cancels the auto-payment of all subscriptions of an app or of one product, a limited number with each call.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, ProductId } from '../fields.ts';
import { cancelledAtOnceMax } from '../limits.ts';
import { SubscriptionCancellation } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const cancelSubscriptions = {
  operationId: 'cancelSubscriptions',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/cancel',
  summary: 'Cancel the auto-payment of all subscriptions of an app or of one product',
  description: `Each subscription with auto-payment on is cancelled as by cancelSubscription, with cancelReason "0" if the reasonCode is customerRequest, otherwise "1". A call cancels at most ${cancelledAtOnceMax}: repeat it until remaining is 0. Subscriptions can still start in the meantime.`,
  roles: ['admin'],
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    { productId: Type.Optional(ProductId), ...reasonFields },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: SubscriptionCancellation },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
