// Reads a subscription with its periods, charges and events by its first purchase id.

import Type from 'typebox';
import { PackageName, PurchaseId } from '../fields.ts';
import { periodIndexMax } from '../limits.ts';
import { Subscription, subscriptionPeriodsMax } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

const period = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: periodIndexMax, description }));

export const getSubscription = {
  operationId: 'getSubscription',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId',
  summary: 'Read a subscription with its periods, the attempts to charge them, and their events',
  roles: ['record', 'read', 'support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  query: Type.Object(
    {
      fromPeriod: period('The first periodIndex.'),
      toPeriod: period('The last periodIndex (inclusive).'),
      newestPeriods: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: subscriptionPeriodsMax,
          default: subscriptionPeriodsMax,
          description: 'Maximum number of periods: the newest ones are returned.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Subscription },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
