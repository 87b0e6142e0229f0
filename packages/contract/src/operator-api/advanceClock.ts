// Moves the clock of an app forward, in the sandbox, and answers when all that falls due until then has happened.

import Type from 'typebox';
import { ClockAdvance } from '../clock-resources.ts';
import { Duration, PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const advanceClock = {
  operationId: 'advanceClock',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/clock/advance',
  summary: 'Move the clock of the app forward, with all that falls due',
  description:
    'By a duration or to an instant: exactly one of them. Renewals, further attempts to charge and expiries happen in the order of time. A long advance takes its time: it is answered within 5 minutes. One that ended early (a killed server, a limit) goes on when it is repeated with the same `to`.',
  roles: ['admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  takesLong: true,
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    { by: Type.Optional(Duration), to: Type.Optional(Timestamp) },
    { $id: 'ClockAdvanceRequest', additionalProperties: false },
  ),
  responses: { 200: ClockAdvance },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
