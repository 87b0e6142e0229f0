// Lists the apps of the store, ordered by package name.

import Type, { type Static } from 'typebox';
import { sizes, text } from '../fields.ts';
import { appsPageMax } from '../limits.ts';
import { App } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQueryUpTo } from './paging.ts';

export const ListedApp = Type.Object(
  {
    ...App.properties,
    eventOrder: Type.Integer({
      minimum: 0,
      description:
        'The order of the newest event of the app, 0 before the first: a reader of all events reads those of the apps whose eventOrder has changed.',
    }),
  },
  { $id: 'ListedApp', description: 'An app with the position of its event feed.' },
);
export type ListedApp = Static<typeof ListedApp>;

export const listApps = {
  operationId: 'listApps',
  method: 'GET',
  path: '/operator/v1/apps',
  summary: 'List the apps, ordered by package name',
  roles: ['read', 'support', 'admin'],
  acrossApps: true,
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
      ...pageQueryUpTo(appsPageMax),
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('apps', ListedApp, appsPageMax) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
