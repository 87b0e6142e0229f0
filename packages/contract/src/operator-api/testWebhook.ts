// Sends a test event to the webhook of an app.

import { TestEvent } from '../events.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const testWebhook = {
  operationId: 'testWebhook',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/test',
  summary: 'Send a test event to the webhook',
  description:
    'Adds an event of type `test` to the events of the app and delivers it like any other. listDeliveries shows its outcome.',
  roles: ['support', 'admin'],
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName },
  responses: { 201: TestEvent },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
