// Lists the purchases of the token's app, newest first.

import { listPurchases as operatorOperation } from '../operator-api/listPurchases.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const listPurchases = {
  operationId: 'listPurchases',
  method: 'GET',
  path: '/sandbox/v1/purchases',
  summary: operatorOperation.summary,
  pathParameters: {},
  query: operatorOperation.query,
  responses: operatorOperation.responses,
  problems: ['invalidRequest'],
} as const satisfies SandboxOperation;
