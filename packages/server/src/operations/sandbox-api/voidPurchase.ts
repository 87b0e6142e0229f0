// Voids a purchase of the token's app, as the store would.

import { voidPurchase as operation } from '@opentill/contract/sandbox-api/voidPurchase.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { voidPurchase as operatorHandler } from '../operator-api/voidPurchase.ts';

export function voidPurchase(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
