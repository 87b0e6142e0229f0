// Sets the URL that receives the events of an app.

import { PackageName } from '../fields.ts';
import { NewWebhook, PutWebhookRequest, Webhook } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putWebhook = {
  operationId: 'putWebhook',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/webhook',
  summary: 'Set the webhook of the app',
  description:
    'The first call (201) creates a secret, which is returned only in this response; earlier events are not delivered. Later calls (200) keep the secret, and waiting deliveries go to the new URL.',
  roles: ['admin'],
  inDeveloperApi: 'both',
  needsClientSecret: true,
  pathParameters: { packageName: PackageName },
  body: PutWebhookRequest,
  responses: { 201: NewWebhook, 200: Webhook },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
