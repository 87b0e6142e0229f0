// Lists the purchases of one app or of all apps.

import Type from 'typebox';
import { BuyerId, instant, OrderId, PackageName, ProductId, PurchaseId } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery, WholeId } from './paging.ts';

export const listPurchases = {
  operationId: 'listPurchases',
  method: 'GET',
  path: '/operator/v1/purchases',
  summary: 'List the purchases of one app or of all apps, newest first',
  description:
    'The latest purchaseTime comes first, and from and to limit it; with the state voided and without an id, that of voidedTime. The filters productId and state need packageName, except the state voided.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  inDeveloperApi: 'both',
  acrossApps: true,
  pathParameters: {},
  query: Type.Object(
    {
      packageName: Type.Optional(PackageName),
      id: WholeId,
      purchaseId: Type.Optional(PurchaseId),
      orderId: Type.Optional(OrderId),
      buyerId: Type.Optional(BuyerId),
      productId: Type.Optional(ProductId),
      state: Type.Optional(
        Type.Union([Type.Literal('completed'), Type.Literal('consumed'), Type.Literal('voided')], {
          description:
            'completed: neither consumed nor voided. consumed: consumed and not voided. voided: voided, whether consumed before or not.',
        }),
      ),
      from: Type.Optional(instant('Earliest time (inclusive), in ms.')),
      to: Type.Optional(instant('Latest time (exclusive), in ms.')),
      ...pageQuery,
    },
    { additionalProperties: false, examples: [{ orderId: 'order-1001' }] },
  ),
  responses: { 200: pageOf('purchases', Purchase) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
