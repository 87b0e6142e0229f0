// Reads the clock of a sandbox app.

import { AppClock } from '../clock-resources.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getClock = {
  operationId: 'getClock',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/clock',
  summary: 'Read the clock of the app',
  roles: ['record', 'support', 'admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  responses: { 200: AppClock },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
