// Reads the clock of a sandbox app, and what falls due next by it.

import { AppClockWithStops } from '../clock-resources.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getClock = {
  operationId: 'getClock',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/clock',
  summary: 'Read the clock of the app, and what falls due next',
  description:
    'Advance the clock to the time of a stop to make it happen. An advance processes charges and expiries; deliveries follow in real time.',
  roles: ['record', 'read', 'support', 'admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  responses: { 200: AppClockWithStops },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
