// Lets the clock of the token's app run at a rate, or freezes it.

import { putClock as operatorOperation } from '../operator-api/putClock.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const putClock = {
  operationId: 'putClock',
  method: 'PUT',
  path: '/sandbox/v1/clock',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'conflict'],
} as const satisfies SandboxOperation;
