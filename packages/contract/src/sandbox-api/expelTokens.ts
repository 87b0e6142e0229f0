// Expels every access token of the token's app, the one of this call included.

import { expelTokens as operatorOperation } from '../operator-api/expelTokens.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const expelTokens = {
  operationId: 'expelTokens',
  method: 'POST',
  path: '/sandbox/v1/expel-tokens',
  summary: operatorOperation.summary,
  pathParameters: {},

  responses: operatorOperation.responses,
  problems: ['conflict'],
} as const satisfies SandboxOperation;
