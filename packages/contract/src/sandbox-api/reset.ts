// Makes the token's app as good as new.

import { reset as operatorOperation } from '../operator-api/reset.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const reset = {
  operationId: 'reset',
  method: 'POST',
  path: '/sandbox/v1/reset',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  takesLong: true,
  pathParameters: {},
  responses: operatorOperation.responses,
  problems: ['conflict'],
} as const satisfies SandboxOperation;
