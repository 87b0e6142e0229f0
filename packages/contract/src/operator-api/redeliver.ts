// Delivers an event to the webhook of an app again.

import { PackageName } from '../fields.ts';
import { Delivery, DeliveryId } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const redeliver = {
  operationId: 'redeliver',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/deliveries/:deliveryId/redeliver',
  summary: 'Deliver an event again',
  description:
    'The event is delivered immediately and, if that fails, with a new retry schedule. Its webhook-id stays the same, so that a receiver can recognize a duplicate. A delivery that is held for an earlier event is rejected with 409.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName, deliveryId: DeliveryId },
  responses: { 200: Delivery },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
