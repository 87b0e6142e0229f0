// Creates or replaces a product of the token's app.

import { ProductId } from '../fields.ts';
import { putProduct as operatorOperation } from '../operator-api/putProduct.ts';
import type { SandboxOperation } from './sandbox-operation.ts';

export const putProduct = {
  operationId: 'putProduct',
  method: 'PUT',
  path: '/sandbox/v1/products/:productId',
  summary: operatorOperation.summary,
  pathParameters: { productId: ProductId },
  body: operatorOperation.body,
  responses: operatorOperation.responses,
  problems: ['invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies SandboxOperation;
