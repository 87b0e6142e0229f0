// Reads a subscription of the token's app with its months.

import { getSubscription as operation } from '@opentill/contract/sandbox-api/getSubscription.ts';
import type { Database } from '../../store/database.ts';
import { getSubscription as operatorHandler } from '../operator-api/getSubscription.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function getSubscription(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
