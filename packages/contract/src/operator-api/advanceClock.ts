// Advances the clock of a sandbox app and responds when everything that falls due has happened.

import Type from 'typebox';
import { ClockAdvance } from '../clock-resources.ts';
import { Duration, PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const advanceClock = {
  operationId: 'advanceClock',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/clock/advance',
  summary: 'Advance the clock of the app',
  description:
    'Takes exactly one of `by` (a duration) and `to` (an instant). Renewals, retried charges and expiries happen in chronological order before the response is sent. A long advance can take up to 5 minutes. To resume an advance that ended early because of a limit or a server failure, repeat it with the same `to`.',
  roles: ['admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  isLongRunning: true,
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    { by: Type.Optional(Duration), to: Type.Optional(Timestamp) },
    { $id: 'ClockAdvanceRequest', additionalProperties: false, examples: [{ by: 'P1M' }] },
  ),
  responses: { 200: ClockAdvance },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
