// Makes a new secret for the webhook of the token's app and lets the one before sign for a while too.

import { rotateWebhookSecret as operatorOperation } from '../operator-api/rotateWebhookSecret.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const rotateWebhookSecret = {
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/sandbox/v1/webhook/secret',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  body: operatorOperation.body,
  bodyOptional: true,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies SandboxOperation;
