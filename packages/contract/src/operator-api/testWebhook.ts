// Sends the webhook of an app an event that says that it is a test.

import { TestEvent } from '../events.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const testWebhook = {
  operationId: 'testWebhook',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/webhook/test',
  summary: 'Send the webhook a test event',
  description:
    'An event of the type test joins those of the app, and is delivered like any other; listDeliveries tells under its id what became of it.',
  roles: ['support', 'admin'],
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  responses: { 201: TestEvent },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
