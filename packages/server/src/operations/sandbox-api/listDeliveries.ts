// Lists what became of the events of the token's app on their way to its webhook, newest first.

import { listDeliveries as operation } from '@opentill/contract/sandbox-api/listDeliveries.ts';
import type { Database } from '../../store/database.ts';
import { listDeliveries as operatorHandler } from '../operator-api/listDeliveries.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function listDeliveries(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
