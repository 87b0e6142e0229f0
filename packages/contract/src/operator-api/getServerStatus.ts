// Reads what the servers of the store run with.

import { ServerStatus } from '../server-status.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getServerStatus = {
  operationId: 'getServerStatus',
  method: 'GET',
  path: '/operator/v1/status',
  summary: 'Read processes, database, settings and operator keys',
  roles: ['support', 'admin'],
  pathParameters: {},
  responses: { 200: ServerStatus },
  errors: ['forbidden'],
} as const satisfies OperatorOperation;
