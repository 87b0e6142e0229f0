// Says where the events of an app are posted, in place of what was said before.

import { PackageName } from '../fields.ts';
import { NewWebhook, PutWebhookRequest, Webhook } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putWebhook = {
  operationId: 'putWebhook',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/webhook',
  summary: 'Say where the events of the app are posted',
  description:
    'The first time (201) a secret is made, and shown in this answer only; events that were there before are not posted. Later (200) the secret stays, and what waits goes to the new URL.',
  roles: ['admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  body: PutWebhookRequest,
  responses: { 201: NewWebhook, 200: Webhook },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
