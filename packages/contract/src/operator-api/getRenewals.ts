// Reads whether renewals of the store or of one app are paused, and what is due.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { Renewals } from '../renewals.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getRenewals = {
  operationId: 'getRenewals',
  method: 'GET',
  path: '/operator/v1/renewals',
  summary: 'Read whether renewals are paused, and what is due',
  description:
    'Without packageName it concerns all apps, and in the sandbox counts what is due in real time.',
  roles: ['read', 'support', 'admin'],
  acrossApps: true,
  pathParameters: {},
  query: Type.Object({ packageName: Type.Optional(PackageName) }, { additionalProperties: false }),
  responses: { 200: Renewals },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
