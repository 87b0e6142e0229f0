// Makes every access token that an app has so far invalid, at once and on every server.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const expelTokens = {
  operationId: 'expelTokens',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/expel-tokens',
  summary: 'Expel every access token of an app',
  roles: ['admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  responses: { 204: Type.Null({ description: 'Every token issued before this is refused from now on.' }) },
  errors: ['forbidden', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
