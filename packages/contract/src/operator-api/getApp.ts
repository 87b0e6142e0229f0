// Reads one app.

import { PackageName } from '../fields.ts';
import { App } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getApp = {
  operationId: 'getApp',
  method: 'GET',
  path: '/operator/v1/apps/:packageName',
  summary: 'Read an app',
  roles: ['read', 'support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName },
  responses: { 200: App },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
