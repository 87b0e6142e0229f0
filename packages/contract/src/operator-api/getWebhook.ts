// Reads the webhook of an app.

import { PackageName } from '../fields.ts';
import { Webhook } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getWebhook = {
  operationId: 'getWebhook',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/webhook',
  summary: 'Read the webhook of the app',
  description:
    'A key with the role support sees only the origin of the URL, because the rest may be a secret.',
  roles: ['read', 'support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName },
  responses: { 200: Webhook },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
