// Delivers all events of the token's app once more that failed to arrive since an instant.

import { redeliverFailed as operation } from '@opentill/contract/sandbox-api/redeliverFailed.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { redeliverFailed as operatorHandler } from '../operator-api/redeliverFailed.ts';

export function redeliverFailed(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
