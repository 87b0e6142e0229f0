// Reads the faults of a sandbox app and how often each was applied.

import { Faults } from '../faults.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getFaults = {
  operationId: 'getFaults',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/faults',
  summary: 'Read the faults that are injected into calls of the app',
  roles: ['read', 'support', 'admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  responses: { 200: Faults },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
