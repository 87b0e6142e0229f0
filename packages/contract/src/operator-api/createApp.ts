// Creates an app with its first client secret.

import Type from 'typebox';
import { AppName, ClientId, PackageName } from '../fields.ts';
import { NewApp } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const createApp = {
  operationId: 'createApp',
  method: 'POST',
  path: '/operator/v1/apps',
  summary: 'Create an app',
  description: 'clientId defaults to packageName. The client secret is returned only in this response.',
  roles: ['admin'],
  pathParameters: {},
  body: Type.Object(
    { packageName: PackageName, name: Type.Optional(AppName), clientId: Type.Optional(ClientId) },
    { additionalProperties: false },
  ),
  responses: { 201: NewApp },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'conflict'],
} as const satisfies OperatorOperation;
