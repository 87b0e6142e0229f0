// Reads the clock of the token's app.

import { getClock as operatorOperation } from '../operator-api/getClock.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const getClock = {
  operationId: 'getClock',
  method: 'GET',
  path: '/sandbox/v1/clock',
  summary: operatorOperation.summary,
  pathParameters: {},
  responses: operatorOperation.responses,
  problems: [],
} as const satisfies SandboxOperation;
