// Voids a purchase, once: it then stands in the voided list that the developer's backend follows.

import Type from 'typebox';
import { PackageName, PurchaseId, VoidReason } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const voidPurchase = {
  operationId: 'voidPurchase',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/void',
  summary: 'Void a purchase',
  description:
    'Repeating the call answers with the same record: the first time and reason stay. Voiding the newest month of a subscription ends the subscription at once.',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  body: Type.Object({ reason: Type.Optional(VoidReason) }, { additionalProperties: false }),
  bodyOptional: true,
  responses: { 200: Purchase },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
