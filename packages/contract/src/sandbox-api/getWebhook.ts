// Reads where the events of the token's app are posted.

import { getWebhook as operatorOperation } from '../operator-api/getWebhook.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const getWebhook = {
  operationId: 'getWebhook',
  method: 'GET',
  path: '/sandbox/v1/webhook',
  summary: operatorOperation.summary,
  pathParameters: {},
  responses: operatorOperation.responses,
  problems: ['notFound'],
} as const satisfies SandboxOperation;
