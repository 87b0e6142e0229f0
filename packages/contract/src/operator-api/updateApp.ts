// Changes the settings of an app: its name, and whether it may get and use tokens.

import Type from 'typebox';
import { AppName, PackageName } from '../fields.ts';
import { App } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const updateApp = {
  operationId: 'updateApp',
  method: 'PATCH',
  path: '/operator/v1/apps/:packageName',
  summary: 'Change the settings of an app',
  description: 'A field that is not sent stays as it is; the name null takes the name away.',
  roles: ['admin'],
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      name: Type.Optional(Type.Union([AppName, Type.Null()])),
      disabled: Type.Optional(
        Type.Boolean({ description: 'True: no new token, and those it has are refused until it is false.' }),
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: App },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
