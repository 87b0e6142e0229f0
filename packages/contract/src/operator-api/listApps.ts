// Lists the apps of the store, ordered by package name.

import Type from 'typebox';
import { sizes, text } from '../fields.ts';
import { App } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listApps = {
  operationId: 'listApps',
  method: 'GET',
  path: '/operator/v1/apps',
  summary: 'List the apps, ordered by package name',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  pathParameters: {},
  query: Type.Object(
    {
      containing: Type.Optional(
        text(1, sizes.appName, 'Text that the package name or the name contains, whatever the case.'),
      ),
      state: Type.Optional(
        Type.Union([Type.Literal('active'), Type.Literal('disabled')], {
          description: 'Only the apps in this state (updateApp disables one).',
        }),
      ),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('apps', App) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
