// Lets the clock of an app run at a rate, or freezes it, in the sandbox.

import Type from 'typebox';
import { AppClock } from '../clock-resources.ts';
import { ClockMode, ClockRate, clockRate, PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putClock = {
  operationId: 'putClock',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/clock',
  summary: 'Freeze the clock of the app, or let it run at a rate',
  description:
    "The app's instant stays what it is at this moment; advanceClock changes it. While an advance is under way: 409.",
  roles: ['admin'],
  sandboxOnly: true,
  inSandboxApi: true,
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
