// Says where the events of the token's app are posted, in place of what was said before.

import { putWebhook as operatorOperation } from '../operator-api/putWebhook.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const putWebhook = {
  operationId: 'putWebhook',
  method: 'PUT',
  path: '/sandbox/v1/webhook',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType'],
} as const satisfies SandboxOperation;
