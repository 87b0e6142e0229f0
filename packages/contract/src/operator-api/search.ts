// Finds records of the whole store by an id or the start of a name.

import Type from 'typebox';
import { sizes, text } from '../fields.ts';
import { SearchHit, searchHitsMax } from '../search.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const search = {
  operationId: 'search',
  method: 'GET',
  path: '/operator/v1/search',
  summary: 'Find records of all apps by an id or the start of a name',
  description: `The id is that of a purchase, order, buyer, event, delivery or request; the name is a packageName or a productId. Compares exactly, with upper and lower case. Returns at most ${searchHitsMax} hits, purchases newest first.`,
  roles: ['read', 'support', 'admin'],
  acrossApps: true,
  pathParameters: {},
  query: Type.Object(
    {
      q: text(
        1,
        sizes.productId,
        'An id, also that of a buyer, or the start of a package name or a product id.',
        'order-1001',
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Type.Object({ hits: Type.Array(SearchHit, { maxItems: searchHitsMax }) }) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
