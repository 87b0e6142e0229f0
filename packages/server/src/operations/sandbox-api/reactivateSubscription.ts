// Reactivates the auto-payment of a subscription, as the customer would in the store.

import { reactivateSubscription as operation } from '@opentill/contract/sandbox-api/reactivateSubscription.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { reactivateSubscription as operatorHandler } from '../operator-api/reactivateSubscription.ts';

export function reactivateSubscription(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
