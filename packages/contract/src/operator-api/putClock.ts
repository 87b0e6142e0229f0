// Freezes the clock of a sandbox app or runs it at a rate.

import Type from 'typebox';
import { AppClock } from '../clock-resources.ts';
import { ClockMode, ClockRate, clockRate, PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putClock = {
  operationId: 'putClock',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/clock',
  summary: 'Freeze the clock of the app, or run it at a rate',
  description:
    'The current time of the app does not change; use advanceClock to change it. The call is rejected with 409 during an advance.',
  roles: ['admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      mode: ClockMode,
      rate: Type.Optional(Type.Number({ ...ClockRate, default: clockRate.default })),
    },
    { additionalProperties: false },
  ),
  responses: { 200: AppClock },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
