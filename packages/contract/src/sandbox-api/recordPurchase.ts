// Makes a purchase of the token's app without a device.

import { recordPurchase as operatorOperation } from '../operator-api/recordPurchase.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const recordPurchase = {
  operationId: 'recordPurchase',
  method: 'POST',
  path: '/sandbox/v1/purchases',
  summary: operatorOperation.summary,
  pathParameters: {},
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'conflict'],
} as const satisfies SandboxOperation;
