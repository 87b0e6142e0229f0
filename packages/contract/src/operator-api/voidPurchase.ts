// Voids a purchase, which adds it to the voided list.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId, VoidReason } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import { EffectsHash } from '../voids.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const voidPurchase = {
  operationId: 'voidPurchase',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/void',
  summary: 'Void a purchase',
  description:
    'A retried call returns the same record, with the first time and reason. Voiding the newest month of a subscription ends the subscription immediately. With the effectsHash of previewVoid, the call gets 409 if the void would now have other effects.',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  body: Type.Object(
    { reason: Type.Optional(VoidReason), effectsHash: Type.Optional(EffectsHash), ...reasonFields },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: Purchase },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
