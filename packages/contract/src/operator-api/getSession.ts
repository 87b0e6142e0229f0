// Reads the session of the call.

import { Session } from '../sessions.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getSession = {
  operationId: 'getSession',
  method: 'GET',
  path: '/operator/v1/sessions/current',
  summary: 'Read who makes this call and what they may call',
  roles: ['read', 'support', 'admin'],
  pathParameters: {},
  responses: { 200: Session },
  errors: ['forbidden'],
} as const satisfies OperatorOperation;
