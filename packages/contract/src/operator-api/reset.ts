// Removes the data of a sandbox app but keeps its credentials, products and webhook.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const reset = {
  operationId: 'reset',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/reset',
  summary: 'Remove the purchases, subscriptions, events, clock, faults and logged calls of the app',
  description:
    'Credentials, tokens, products and webhook are kept, and order counters continue. The call is rejected with 409 during an advance.',
  roles: ['admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  isLongRunning: true,
  pathParameters: { packageName: PackageName },
  responses: { 204: Type.Null({ description: 'The data was removed.' }) },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
