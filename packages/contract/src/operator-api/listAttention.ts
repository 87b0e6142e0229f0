// Lists what needs attention in the whole store.

import { Attention } from '../attention.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const listAttention = {
  operationId: 'listAttention',
  method: 'GET',
  path: '/operator/v1/attention',
  summary: 'List what needs attention, worst first',
  description: 'The response is up to 5 seconds old.',
  roles: ['read', 'support', 'admin'],
  acrossApps: true,
  pathParameters: {},
  responses: { 200: Attention },
  errors: ['forbidden'],
} as const satisfies OperatorOperation;
