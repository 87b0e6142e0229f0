// Pauses the renewals of the store or of one app.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName } from '../fields.ts';
import { Renewals } from '../renewals.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const pauseRenewals = {
  operationId: 'pauseRenewals',
  method: 'POST',
  path: '/operator/v1/renewals/pause',
  summary: 'Pause the renewals of one app or of all apps',
  description:
    'No charge begins or is retried, and no subscription expires, until resumeRenewals. The answers to charges in flight are still recorded, and none begins after the response. Pausing what is paused changes nothing. The note is shown as the reason of the pause.',
  roles: ['admin'],
  acrossApps: true,
  pathParameters: {},
  body: Type.Object(
    { packageName: Type.Optional(PackageName), ...reasonFields },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: Renewals },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
