// Puts what shall go wrong with the calls of an app, in place of what was put before, in the sandbox.

import { Faults, NewFaults } from '../faults.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putFaults = {
  operationId: 'putFaults',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/faults',
  summary: 'Put the faults that calls of the app meet, in place of those before',
  roles: ['admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  body: NewFaults,
  responses: { 200: Faults },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
