// Replaces the faults of a sandbox app.

import { Faults, NewFaults } from '../faults.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const putFaults = {
  operationId: 'putFaults',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/faults',
  summary: 'Replace the faults that are injected into calls of the app',
  roles: ['admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  body: NewFaults,
  responses: { 200: Faults },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
