// Lists the closed months of an app with their totals.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { Statement } from '../statements.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listStatements = {
  operationId: 'listStatements',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/statements',
  summary: 'List the closed months of an app, newest first',
  description:
    'A month closes a minute after its end, and never changes from then on: what is booked later is in a later month.',
  roles: ['read', 'support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName },
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('statements', Statement) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
