// The operations about webhooks, each with what it needs.

import type { OperatorHandler } from './operator-handler.ts';
import { deleteWebhook } from './webhooks/deleteWebhook.ts';
import { getWebhook } from './webhooks/getWebhook.ts';
import { listDeliveries } from './webhooks/listDeliveries.ts';
import { putWebhook } from './webhooks/putWebhook.ts';
import { redeliver } from './webhooks/redeliver.ts';
import { redeliverFailed } from './webhooks/redeliverFailed.ts';
import { rotateWebhookSecret } from './webhooks/rotateWebhookSecret.ts';
import { testWebhook } from './webhooks/testWebhook.ts';
import type { WebhookParts } from './webhooks/webhook-parts.ts';

export function webhookHandlers(parts: WebhookParts): OperatorHandler[] {
  const { database } = parts;
  return [
    putWebhook(parts),
    getWebhook(database),
    deleteWebhook(database),
    rotateWebhookSecret(parts),
    testWebhook(parts),
    listDeliveries(database),
    redeliver(database),
    redeliverFailed(database),
  ];
}
