// Lists what falls due next by the clock of a sandbox app.

import Type from 'typebox';
import { UpcomingStops, upcomingStopsMax } from '../clock-resources.ts';
import { PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const listUpcoming = {
  operationId: 'listUpcoming',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/clock/upcoming',
  summary: 'List what falls due next by the clock of the app',
  description: `The next ${upcomingStopsMax} stops, and what is overdue. Subscriptions and deliveries each take at most half of them while the others have as many. Advance the clock to the time of a stop to make it happen. An advance processes charges and expiries; deliveries follow in real time.`,
  roles: ['support', 'admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  query: Type.Object(
    {
      until: Type.Optional(Type.Integer({ ...Timestamp, description: 'Latest time (inclusive), in ms.' })),
    },
    { additionalProperties: false },
  ),
  responses: { 200: UpcomingStops },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
