// Delivers an event to the webhook of the token's app once more.

import { redeliver as operatorOperation } from '../operator-api/redeliver.ts';
import { DeliveryId } from '../webhooks.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const redeliver = {
  operationId: 'redeliver',
  method: 'POST',
  path: '/sandbox/v1/webhook/deliveries/:deliveryId/redeliver',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: { deliveryId: DeliveryId },
  responses: operatorOperation.responses,
  problems: ['notFound', 'conflict'],
} as const satisfies SandboxOperation;
