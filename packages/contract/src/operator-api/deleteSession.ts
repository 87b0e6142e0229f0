// Signs out of the console.

import Type from 'typebox';
import type { OperatorOperation } from './operator-operation.ts';

export const deleteSession = {
  operationId: 'deleteSession',
  method: 'DELETE',
  path: '/operator/v1/sessions/current',
  summary: 'Sign out of the console',
  description: 'Removes the cookie of the session. A call with an operator key changes nothing.',
  roles: ['read', 'support', 'admin'],
  pathParameters: {},
  responses: { 204: Type.Null() },
  errors: ['forbidden'],
} as const satisfies OperatorOperation;
