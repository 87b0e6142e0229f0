// Reads where the events of the token's app are posted.

import { getWebhook as operation } from '@opentill/contract/sandbox-api/getWebhook.ts';
import type { Database } from '../../store/database.ts';
import { getWebhook as operatorHandler } from '../operator-api/getWebhook.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function getWebhook(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
