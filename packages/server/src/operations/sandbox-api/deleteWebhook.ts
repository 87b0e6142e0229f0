// Ends the posting of the events of the token's app.

import { deleteWebhook as operation } from '@opentill/contract/sandbox-api/deleteWebhook.ts';
import type { Database } from '../../store/database.ts';
import { deleteWebhook as operatorHandler } from '../operator-api/deleteWebhook.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function deleteWebhook(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
