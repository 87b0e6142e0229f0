// Moves the clock of the token's app forward, and answers when all that falls due until then has happened.

import { advanceClock as operatorOperation } from '../operator-api/advanceClock.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const advanceClock = {
  operationId: 'advanceClock',
  method: 'POST',
  path: '/sandbox/v1/clock/advance',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  takesLong: true,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'conflict'],
} as const satisfies SandboxOperation;
