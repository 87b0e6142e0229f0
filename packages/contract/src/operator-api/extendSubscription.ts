// Moves the end of the paid time of a subscription.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId, Timestamp } from '../fields.ts';
import { extensionDaysMax } from '../limits.ts';
import { ChangedSubscription } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const extendSubscription = {
  operationId: 'extendSubscription',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/extend',
  summary: 'Extend the paid time of a subscription',
  description:
    'The current period ends later, without a payment, and no later period ends before it would have ended: later periods are counted from the new end if it is in a later calendar month than the end by the calendar, and otherwise from the latter, moved by the whole days between the two. With auto-payment on, the next payment is due then; a cancelled subscription stays cancelled. A repeated call changes nothing. 409 while a charge is open and once the period is over: settle the charge, or record a new subscription.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, firstPurchaseId: PurchaseId },
  body: Type.Object(
    {
      expiryTime: Type.Integer({
        ...Timestamp,
        description: `The new end in ms: after the current end, by at most ${extensionDaysMax} days.`,
      }),
      ...reasonFields,
    },
    { additionalProperties: false },
  ),
  responses: { 200: ChangedSubscription },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
