// Invalidates all access tokens of an app immediately, on every server.

import Type from 'typebox';
import { Reason } from '../actions.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const expelTokens = {
  operationId: 'expelTokens',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/expel-tokens',
  summary: 'Expel all access tokens of an app',
  roles: ['admin'],
  inDeveloperApi: 'both',
  needsClientSecret: true,
  pathParameters: { packageName: PackageName },
  body: Reason,
  bodyOptional: true,
  responses: { 204: Type.Null({ description: 'All tokens issued so far are invalid.' }) },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
