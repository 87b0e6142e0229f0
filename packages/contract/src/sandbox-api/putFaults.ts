// Puts what shall go wrong with the calls of the token's app, in place of what was put before.

import { putFaults as operatorOperation } from '../operator-api/putFaults.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const putFaults = {
  operationId: 'putFaults',
  method: 'PUT',
  path: '/sandbox/v1/faults',
  summary: operatorOperation.summary,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType'],
} as const satisfies SandboxOperation;
