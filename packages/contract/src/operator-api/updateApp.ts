// Changes the name of an app, or disables or enables it.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { AppName, PackageName } from '../fields.ts';
import { App } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const updateApp = {
  operationId: 'updateApp',
  method: 'PATCH',
  path: '/operator/v1/apps/:packageName',
  summary: 'Change the settings of an app',
  description: 'A field that is not sent does not change. The name `null` removes the name.',
  roles: ['admin'],
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      name: Type.Optional(Type.Union([AppName, Type.Null()])),
      disabled: Type.Optional(
        Type.Boolean({
          description:
            'While true, the app gets no tokens, no purchases are recorded and no subscriptions renewed. Its existing tokens become invalid for good.',
        }),
      ),
      ...reasonFields,
    },
    { additionalProperties: false, examples: [{ name: 'Space Game' }] },
  ),
  responses: { 200: App },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
