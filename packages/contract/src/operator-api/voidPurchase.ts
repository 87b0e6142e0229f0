// Voids a purchase, which adds it to the voided list.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId, RefundAmount, VoidReason } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const voidPurchase = {
  operationId: 'voidPurchase',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/void',
  summary: 'Void a purchase',
  description:
    'A retried call returns the same record, with the first time, reason and refundAmount; one with another refundAmount gets 409. Voiding the newest period of a subscription ends the subscription immediately.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  body: Type.Object(
    {
      reason: Type.Optional(VoidReason),
      refundAmount: Type.Optional(
        Type.Integer({
          ...RefundAmount,
          description: 'What the store refunds, at most the price. Without it, the price.',
        }),
      ),
      ...reasonFields,
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: Purchase },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
