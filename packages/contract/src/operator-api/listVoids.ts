// Lists the voided purchases of all apps, newest first.

import Type from 'typebox';
import { PackageName, timestampMax, timestampMin } from '../fields.ts';
import { Void } from '../voids.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

const instant = (description: string) =>
  Type.Optional(Type.Integer({ minimum: timestampMin, maximum: timestampMax, description }));

export const listVoids = {
  operationId: 'listVoids',
  method: 'GET',
  path: '/operator/v1/voids',
  summary: 'List voided purchases with who voided them and why, newest first',
  roles: ['support', 'admin'],
  storeWide: true,
  pathParameters: {},
  query: Type.Object(
    {
      packageName: Type.Optional(PackageName),
      from: instant('Earliest voidedTime (inclusive), in ms.'),
      to: instant('Latest voidedTime (exclusive), in ms.'),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('voids', Void) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
