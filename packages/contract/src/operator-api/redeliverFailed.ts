// Retries all failed deliveries of events since an instant.

import Type from 'typebox';
import { PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const redeliverFailed = {
  operationId: 'redeliverFailed',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/deliveries/redeliver-failed',
  summary: 'Retry all failed deliveries',
  description:
    'Retries the deliveries of events since an instant that are dead or waiting for a retry. Events of the same purchase are delivered in order.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'both',
  isLongRunning: true,
  pathParameters: { packageName: PackageName },
  body: Type.Object(
    {
      since: Type.Integer({
        ...Timestamp,
        description: "Include events since this instant by the app's clock, in ms.",
      }),
    },
    { additionalProperties: false },
  ),
  responses: {
    200: Type.Object({
      count: Type.Integer({ minimum: 0, description: 'The number of restarted deliveries.' }),
    }),
  },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
