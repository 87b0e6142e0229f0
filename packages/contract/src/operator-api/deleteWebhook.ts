// Ends the posting of an app's events.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const deleteWebhook = {
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/operator/v1/apps/:packageName/webhook',
  summary: 'Post no more events of the app',
  description:
    'Deliveries that wait are dead from then on; what became of the others can still be read. An attempt that is under way may still arrive.',
  roles: ['admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  responses: { 204: Type.Null({ description: 'There is no webhook.' }) },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
