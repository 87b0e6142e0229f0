// Lists the products of an app, ordered by product id.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { Product } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listProducts = {
  operationId: 'listProducts',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/products',
  summary: 'List the products of an app, ordered by product id',
  roles: ['record', 'read', 'support', 'admin'],
  asCsv: true,
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName },
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('products', Product) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
