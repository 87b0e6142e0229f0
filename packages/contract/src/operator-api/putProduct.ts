// Creates or replaces a product of an app.

import Type from 'typebox';
import { Currency, PackageName, Price, ProductId, ProductTitle, ProductType } from '../fields.ts';
import { Product } from '../operator-resources.ts';
import { Period } from '../periods.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putProduct = {
  operationId: 'putProduct',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/products/:productId',
  summary: 'Create or replace a product',
  description:
    'A subscription product has a period, P1M by default. The type and the period of a product cannot be changed. Existing purchases keep their price and currency. The currency is a code of ISO 4217 that is in use, or the one that the product has.',
  roles: ['admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName, productId: ProductId },
  body: Type.Object(
    {
      type: ProductType,
      period: Type.Optional(Period),
      title: Type.Optional(ProductTitle),
      price: Price,
      currency: Currency,
    },
    { additionalProperties: false },
  ),
  responses: { 200: Product, 201: Product },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
