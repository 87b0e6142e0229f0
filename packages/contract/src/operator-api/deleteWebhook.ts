// Deletes the webhook of an app.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const deleteWebhook = {
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/operator/v1/apps/:packageName/webhook',
  summary: 'Delete the webhook of the app',
  description:
    'Waiting deliveries become dead. Existing deliveries can still be listed. An attempt in flight may still arrive.',
  roles: ['admin'],
  inDeveloperApi: 'both',
  needsClientSecret: true,
  pathParameters: { packageName: PackageName },
  responses: { 204: Type.Null({ description: 'The webhook was deleted.' }) },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
