// Gives the newest access token of the token's app another rest of life.

import { putToken as operatorOperation } from '../operator-api/putToken.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const putToken = {
  operationId: 'putToken',
  method: 'PUT',
  path: '/sandbox/v1/token',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'conflict'],
} as const satisfies SandboxOperation;
