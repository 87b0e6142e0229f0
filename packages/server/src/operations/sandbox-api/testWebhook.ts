// Sends the webhook of the token's app an event that says that it is a test.

import { testWebhook as operation } from '@opentill/contract/sandbox-api/testWebhook.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { testWebhook as operatorHandler } from '../operator-api/testWebhook.ts';
import type { WebhookParts } from '../operator-api/webhook-handlers.ts';

export function testWebhook(parts: WebhookParts): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(parts));
}
