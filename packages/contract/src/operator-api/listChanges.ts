// Lists who changed the settings, secrets, tokens and products of an app, newest first.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { Change } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listChanges = {
  operationId: 'listChanges',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/changes',
  summary: 'List the changes to the app, newest first',
  roles: ['support', 'admin'],
  pathParameters: { packageName: PackageName },
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('changes', Change) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
