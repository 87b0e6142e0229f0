// Shows the faults of the token's app and how often each has applied.

import { getFaults as operatorOperation } from '../operator-api/getFaults.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const getFaults = {
  operationId: 'getFaults',
  method: 'GET',
  path: '/sandbox/v1/faults',
  summary: operatorOperation.summary,
  pathParameters: {},
  responses: operatorOperation.responses,
  problems: [],
} as const satisfies SandboxOperation;
