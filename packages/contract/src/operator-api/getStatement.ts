// Reads a closed month of an app, or what has happened since the last one.

import { PackageName } from '../fields.ts';
import { soFar } from '../open-month.ts';
import { StatementLine, StatementName, StatementOfProducts } from '../statements.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getStatement = {
  operationId: 'getStatement',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/statements/:name',
  summary: 'Read the statement of a month of an app',
  description: `The sums of a closed month, which never change, by product and currency; the name ${soFar} is the open month. The file has a line for each sale and refund, as long as its events are retained; after that, it is 410.`,
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  csvEntries: StatementLine,
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName, name: StatementName },
  responses: { 200: StatementOfProducts },
  errors: ['forbidden', 'notFound', 'gone'],
} as const satisfies OperatorOperation;
