// Makes a new secret for the webhook of an app and lets the one before sign for a while too.

import { PackageName } from '../fields.ts';
import { SecretRotation } from '../secret-rotation.ts';
import { WebhookSecret } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const rotateWebhookSecret = {
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/secret',
  summary: 'Make a new secret for the webhook',
  description:
    'For keepPreviousForSeconds each delivery is signed with both secrets, so that the receiver may change over in that time; an older one ends at once.',
  roles: ['admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  body: SecretRotation,
  bodyOptional: true,
  responses: { 201: WebhookSecret },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
