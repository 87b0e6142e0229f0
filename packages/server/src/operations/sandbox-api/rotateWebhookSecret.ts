// Makes a new secret for the webhook of the token's app and lets the one before sign for a while too.

import { rotateWebhookSecret as operation } from '@opentill/contract/sandbox-api/rotateWebhookSecret.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { rotateWebhookSecret as operatorHandler } from '../operator-api/rotateWebhookSecret.ts';
import type { WebhookParts } from '../operator-api/webhook-handlers.ts';

export function rotateWebhookSecret(parts: WebhookParts): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(parts));
}
