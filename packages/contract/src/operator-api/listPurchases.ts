// Lists the purchases of an app, newest first.

import Type from 'typebox';
import { BuyerId, PackageName, ProductId, timestampMax, timestampMin } from '../fields.ts';
import { Purchase } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

const instant = (description: string) =>
  Type.Optional(Type.Integer({ minimum: timestampMin, maximum: timestampMax, description }));

export const listPurchases = {
  operationId: 'listPurchases',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/purchases',
  summary: 'List the purchases of an app, newest first',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  query: Type.Object(
    {
      productId: Type.Optional(ProductId),
      buyerId: Type.Optional(BuyerId),
      state: Type.Optional(
        Type.Union([Type.Literal('completed'), Type.Literal('consumed'), Type.Literal('voided')], {
          description:
            'completed: neither consumed nor voided. consumed: consumed and not voided. voided: voided, whether consumed before or not.',
        }),
      ),
      from: instant('Earliest purchaseTime (inclusive), in ms.'),
      to: instant('Latest purchaseTime (exclusive), in ms.'),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('purchases', Purchase) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
