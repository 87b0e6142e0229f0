// Finds records of the whole store by an id or the start of a name.

import Type from 'typebox';
import { Environment, sizes, text } from '../fields.ts';
import { SearchHit, SearchTarget, searchHitsMax } from '../search.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const search = {
  operationId: 'search',
  method: 'GET',
  path: '/operator/v1/search',
  summary: 'Find records of all apps by an id or the start of a name',
  description: `Compares exactly, with upper and lower case. Returns at most ${searchHitsMax} hits, purchases newest first.`,
  roles: ['support', 'admin'],
  storeWide: true,
  pathParameters: {},
  query: Type.Object(
    { q: text(1, sizes.productId, 'An id, or the start of a package name or a product id.', 'order-1001') },
    { additionalProperties: false },
  ),
  responses: {
    200: Type.Object({
      hits: Type.Array(SearchHit, { maxItems: searchHitsMax }),
      lookedFor: Type.Array(SearchTarget, {
        description: 'What the text may be: by its form, some of these are ruled out.',
      }),
      generatedIn: Type.Optional(
        Type.Unsafe<'sandbox' | 'production'>({
          ...Environment,
          description: 'The environment whose generated purchase ids have the form of the text.',
        }),
      ),
    }),
  },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
