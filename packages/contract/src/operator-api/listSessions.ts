// Lists the open sessions of the console.

import { Sessions } from '../sessions.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const listSessions = {
  operationId: 'listSessions',
  method: 'GET',
  path: '/operator/v1/sessions',
  summary: 'List the open sessions of the console',
  roles: ['admin'],
  pathParameters: {},
  responses: { 200: Sessions },
  errors: ['forbidden'],
} as const satisfies OperatorOperation;
