// Lists the events of a range of months of a subscription, newest first.

import Type from 'typebox';
import { PackageName, PurchaseId } from '../fields.ts';
import { eventPeriodsMax } from '../limits.ts';
import { SubscriptionEvent } from '../operator-resources.ts';
import { periodRange } from '../period-range.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listSubscriptionEvents = {
  operationId: 'listSubscriptionEvents',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/events',
  summary: 'List the events of a subscription with their authors, newest first',
  description: `An event belongs to the month of its purchaseId: a failed payment belongs to the month before the unpaid one. A call covers at most ${eventPeriodsMax} months; by default, those up to toPeriod or from fromPeriod on, and without both the newest ones. Events that retention has removed are missing.`,
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  query: Type.Object({ ...periodRange, ...pageQuery }, { additionalProperties: false }),
  responses: { 200: pageOf('events', SubscriptionEvent) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
