// Voids a purchase, which adds it to the voided list.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId, VoidReason } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const voidPurchase = {
  operationId: 'voidPurchase',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/void',
  summary: 'Void a purchase',
  description:
    'A retried call returns the same record, with the first time and reason. Voiding the newest period of a subscription ends the subscription immediately.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  body: Type.Object({ reason: Type.Optional(VoidReason), ...reasonFields }, { additionalProperties: false }),
  bodyOptional: true,
  responses: { 200: Purchase },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
