// Invalidates all access tokens of an app immediately, on every server.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const expelTokens = {
  operationId: 'expelTokens',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/expel-tokens',
  summary: 'Expel all access tokens of an app',
  roles: ['admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  responses: { 204: Type.Null({ description: 'All tokens issued so far are invalid.' }) },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
