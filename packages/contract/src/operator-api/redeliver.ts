// Delivers an event to the webhook of an app once more.

import { PackageName } from '../fields.ts';
import { Delivery, DeliveryId } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const redeliver = {
  operationId: 'redeliver',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/deliveries/:deliveryId/redeliver',
  summary: 'Deliver an event once more',
  description:
    'It is tried at once, and from then on by a schedule that begins anew. Its webhook-id stays: a receiver that has seen it knows it. One that is held waits for an earlier event: 409.',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, deliveryId: DeliveryId },
  responses: { 200: Delivery },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
