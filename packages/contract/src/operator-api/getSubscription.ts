// Reads a subscription with its months by its first purchase id.

import Type from 'typebox';
import { PackageName, PurchaseId } from '../fields.ts';
import { Subscription, subscriptionMonthsMax } from '../operator-resources.ts';
import { periodRange } from '../period-range.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getSubscription = {
  operationId: 'getSubscription',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId',
  summary: 'Read a subscription with its months',
  roles: ['record', 'support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  query: Type.Object(
    {
      ...periodRange,
      newestMonths: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: subscriptionMonthsMax,
          default: subscriptionMonthsMax,
          description: 'Maximum number of months: the newest ones are returned.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Subscription },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
