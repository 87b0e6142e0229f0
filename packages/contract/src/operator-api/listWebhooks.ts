// Lists the webhooks of all apps, worst first.

import Type from 'typebox';
import { WebhookSummary } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listWebhooks = {
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/operator/v1/webhooks',
  summary: 'List the webhooks of all apps, worst first',
  description:
    'Failing ones first, then sorted by the number of dead deliveries, then by that of waiting and held ones, both descending, then by package name. A webhook whose deliveries change between two pages may be listed twice or not at all.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  acrossApps: true,
  pathParameters: {},
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('webhooks', WebhookSummary) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
