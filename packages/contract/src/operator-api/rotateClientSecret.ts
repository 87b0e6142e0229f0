// Makes a new client secret for an app and lets the one before live on for a while.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { ClientCredentials } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';

/** How long the secret before stays good: a day unless told otherwise, and no longer than 30 days. */
export const keepPreviousSeconds = { min: 0, max: 30 * 24 * 60 * 60, default: 24 * 60 * 60 } as const;

export const rotateClientSecret = {
  operationId: 'rotateClientSecret',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/client-secret',
  summary: 'Make a new client secret',
  description: 'The secret before stays good for keepPreviousForSeconds; an older one ends at once.',
  roles: ['admin'],
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      keepPreviousForSeconds: Type.Optional(
        Type.Integer({
          minimum: keepPreviousSeconds.min,
          maximum: keepPreviousSeconds.max,
          default: keepPreviousSeconds.default,
          description: '0: the secret before ends at once.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 201: ClientCredentials },
  problems: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
