// Delivers all events of the token's app once more that failed to arrive since an instant.

import { redeliverFailed as operatorOperation } from '../operator-api/redeliverFailed.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const redeliverFailed = {
  operationId: 'redeliverFailed',
  method: 'POST',
  path: '/sandbox/v1/webhook/deliveries/redeliver-failed',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  takesLong: true,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies SandboxOperation;
