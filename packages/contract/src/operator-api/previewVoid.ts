// Lists what voiding a purchase would change.

import { PackageName, PurchaseId } from '../fields.ts';
import { VoidPreview } from '../voids.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const previewVoid = {
  operationId: 'previewVoid',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/purchases/:purchaseId/void-preview',
  summary: 'List what voiding a purchase would change',
  description:
    'Changes nothing. Send the effectsHash with voidPurchase to void only if the effects are still these.',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, purchaseId: PurchaseId },
  responses: { 200: VoidPreview },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
