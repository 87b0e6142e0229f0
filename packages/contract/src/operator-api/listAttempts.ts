// Lists the attempts to charge a subscription, newest first.

import Type from 'typebox';
import { PackageName, PurchaseId } from '../fields.ts';
import { periodRange } from '../period-range.ts';
import { Attempt } from '../renewals.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listAttempts = {
  operationId: 'listAttempts',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/attempts',
  summary: 'List the attempts to charge a subscription, newest first',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  query: Type.Object({ ...periodRange, ...pageQuery }, { additionalProperties: false }),
  responses: { 200: pageOf('attempts', Attempt) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
