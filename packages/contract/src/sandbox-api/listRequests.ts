// Lists the last calls of the token's app, newest first, with hints.

import { listRequests as operatorOperation } from '../operator-api/listRequests.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const listRequests = {
  operationId: 'listRequests',
  method: 'GET',
  path: '/sandbox/v1/requests',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  query: operatorOperation.query,
  responses: operatorOperation.responses,
  problems: ['invalidRequest'],
} as const satisfies SandboxOperation;
