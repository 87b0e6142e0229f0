// The operations about webhooks, each with what it needs.

import type { Environment } from '../../domain/identifiers.ts';
import type { WebhookRules } from '../../domain/webhook-address.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database } from '../../store/database.ts';
import { deleteWebhook } from './deleteWebhook.ts';
import { getWebhook } from './getWebhook.ts';
import { listDeliveries } from './listDeliveries.ts';
import type { OperatorHandler } from './operator-handler.ts';
import { putWebhook } from './putWebhook.ts';
import { redeliver } from './redeliver.ts';
import { redeliverFailed } from './redeliverFailed.ts';
import { rotateWebhookSecret } from './rotateWebhookSecret.ts';
import { testWebhook } from './testWebhook.ts';

export interface WebhookParts {
  readonly database: Database;
  readonly environment: Environment;
  readonly randomness: Randomness;
  readonly webhookRules: WebhookRules;
}

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
