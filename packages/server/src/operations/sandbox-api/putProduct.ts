// Creates or replaces a product of the token's app.

import { putProduct as operation } from '@opentill/contract/sandbox-api/putProduct.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { putProduct as operatorHandler } from '../operator-api/putProduct.ts';

export function putProduct(database: Database, rules: { allowsSubscriptions: boolean }): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, rules));
}
