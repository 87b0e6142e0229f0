// Lists who changed what and why, newest first.

import Type from 'typebox';
import { Action, ActionAuthor, ActionOperation, ActionSubject } from '../actions.ts';
import { instant, PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listActions = {
  operationId: 'listActions',
  method: 'GET',
  path: '/operator/v1/actions',
  summary: 'List the actions of operators, newest first',
  description:
    'An action is an operator call that changed something, a file of a list (`Accept: text/csv`), an import or an export. A recorded purchase is not an action: the purchase itself has its author.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  acrossApps: true,
  pathParameters: {},
  query: Type.Object(
    {
      packageName: Type.Optional(PackageName),
      operationId: Type.Optional(ActionOperation),
      by: Type.Optional(ActionAuthor),
      subject: Type.Optional(ActionSubject),
      from: Type.Optional(instant('Earliest time (inclusive), in ms.')),
      to: Type.Optional(instant('Latest time (exclusive), in ms.')),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('actions', Action) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
