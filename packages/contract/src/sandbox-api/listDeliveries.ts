// Lists what became of the events of the token's app on their way to its webhook, newest first.

import { listDeliveries as operatorOperation } from '../operator-api/listDeliveries.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const listDeliveries = {
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/sandbox/v1/webhook/deliveries',
  summary: operatorOperation.summary,
  description: operatorOperation.description,
  pathParameters: {},
  query: operatorOperation.query,
  responses: operatorOperation.responses,
  problems: ['invalidRequest'],
} as const satisfies SandboxOperation;
