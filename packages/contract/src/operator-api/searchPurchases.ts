// Lists the purchases of all apps, or those with one id, for support staff who do not know the package.

import Type from 'typebox';
import { BuyerId, OrderId, PurchaseId } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const searchPurchases = {
  operationId: 'searchPurchases',
  method: 'GET',
  path: '/operator/v1/purchases',
  summary: 'List purchases across all apps, newest first',
  description: 'Takes at most one of purchaseId, orderId and buyerId, and without them lists all purchases.',
  roles: ['support', 'admin'],
  storeWide: true,
  pathParameters: {},
  query: Type.Object(
    {
      purchaseId: Type.Optional(PurchaseId),
      orderId: Type.Optional(OrderId),
      buyerId: Type.Optional(BuyerId),
      ...pageQuery,
    },
    { additionalProperties: false, examples: [{ orderId: 'order-1001' }] },
  ),
  responses: { 200: pageOf('purchases', Purchase) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
