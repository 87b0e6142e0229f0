// Delivers all events once more that failed to arrive since an instant.

import Type from 'typebox';
import { PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const redeliverFailed = {
  operationId: 'redeliverFailed',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/deliveries/redeliver-failed',
  summary: 'Deliver all events once more that failed to arrive',
  description:
    'Of the events that happened since an instant, those that are dead or wait for a further attempt are tried at once, those of one purchase in their order.',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  takesLong: true,
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      since: Type.Integer({
        ...Timestamp,
        description: "Events that happened then or later, by the app's own clock, ms.",
      }),
    },
    { additionalProperties: false },
  ),
  responses: {
    200: Type.Object({ count: Type.Integer({ minimum: 0, description: 'Deliveries that begin anew.' }) }),
  },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
