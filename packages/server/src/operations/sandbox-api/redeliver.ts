// Delivers an event to the webhook of the token's app once more.

import { redeliver as operation } from '@opentill/contract/sandbox-api/redeliver.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { redeliver as operatorHandler } from '../operator-api/redeliver.ts';

export function redeliver(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
