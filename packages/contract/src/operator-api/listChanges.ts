// Lists who did what to an app itself, newest first.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { Change } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listChanges = {
  operationId: 'listChanges',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/changes',
  summary: 'List who changed the app, newest first',
  roles: ['support', 'admin'],
  pathParameters: { packageName: PackageName },
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('changes', Change) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
