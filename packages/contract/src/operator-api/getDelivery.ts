// Reads a delivery with the request that is sent.

import { PackageName } from '../fields.ts';
import { DeliveryId, DeliveryWithRequest } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getDelivery = {
  operationId: 'getDelivery',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/webhook/deliveries/:deliveryId',
  summary: 'Read a delivery, with its attempts and the request that is sent',
  roles: ['read', 'support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName, deliveryId: DeliveryId },
  responses: { 200: DeliveryWithRequest },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
