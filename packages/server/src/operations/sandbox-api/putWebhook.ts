// Says where the events of the token's app are posted, in place of what was said before.

import { putWebhook as operation } from '@opentill/contract/sandbox-api/putWebhook.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { putWebhook as operatorHandler } from '../operator-api/putWebhook.ts';
import type { WebhookParts } from '../operator-api/webhook-handlers.ts';

export function putWebhook(parts: WebhookParts): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(parts));
}
