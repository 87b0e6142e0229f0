// Sends the webhook of the token's app an event that says that it is a test.

import { testWebhook as operatorOperation } from '../operator-api/testWebhook.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const testWebhook = {
  operationId: 'testWebhook',
  method: 'POST',
  path: '/sandbox/v1/webhook/test',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  responses: operatorOperation.responses,
  problems: ['notFound'],
} as const satisfies SandboxOperation;
