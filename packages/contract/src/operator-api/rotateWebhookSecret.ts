// Creates a new webhook secret for an app and keeps signing with the previous one for a while.

import { PackageName } from '../fields.ts';
import { SecretRotation } from '../secret-rotation.ts';
import { WebhookSecret } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const rotateWebhookSecret = {
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/secret',
  summary: 'Create a new secret for the webhook',
  description:
    'For keepPreviousForSeconds, each delivery is signed with both secrets, so that the receiver can change over. During that time, another rotation gets 409 unless force is true or keepPreviousForSeconds is 0.',
  roles: ['admin'],
  inDeveloperApi: 'both',
  needsClientSecret: true,
  pathParameters: { packageName: PackageName },
  body: SecretRotation,
  bodyOptional: true,
  responses: { 201: WebhookSecret },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
