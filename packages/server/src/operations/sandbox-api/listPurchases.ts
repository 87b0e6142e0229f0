// Lists the purchases of the token's app, newest first.

import { listPurchases as operation } from '@opentill/contract/sandbox-api/listPurchases.ts';
import type { Database } from '../../store/database.ts';
import { listPurchases as operatorHandler } from '../operator-api/listPurchases.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function listPurchases(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
