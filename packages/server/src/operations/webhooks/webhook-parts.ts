// What the operations about webhooks need.

import type { Environment } from '../../domain/identifiers.ts';
import type { WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database } from '../../store/connection/database.ts';

export interface WebhookParts {
  readonly database: Database;
  readonly environment: Environment;
  readonly randomness: Randomness;
  readonly webhookRules: WebhookRules;
}
