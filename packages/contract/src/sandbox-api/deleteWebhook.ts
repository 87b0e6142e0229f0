// Ends the posting of the events of the token's app.

import { deleteWebhook as operatorOperation } from '../operator-api/deleteWebhook.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const deleteWebhook = {
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/sandbox/v1/webhook',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  responses: operatorOperation.responses,
  problems: ['notFound'],
} as const satisfies SandboxOperation;
