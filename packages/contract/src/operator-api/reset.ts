// Makes an app as good as new, in the sandbox: what happened in it is gone, who may call it stays.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const reset = {
  operationId: 'reset',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/reset',
  summary: 'Remove the purchases, subscriptions, events, clock, faults and logged calls of the app',
  description:
    'Credentials, tokens, products and webhook stay, and order counters go on where they are. While an advance is under way: 409.',
  roles: ['admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  takesLong: true,
  pathParameters: { packageName: PackageName },
  responses: { 204: Type.Null({ description: 'All of it is gone.' }) },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
