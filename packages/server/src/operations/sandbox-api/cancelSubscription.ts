// Cancels the auto-payment of a subscription, as the customer would in the store.

import { cancelSubscription as operation } from '@opentill/contract/sandbox-api/cancelSubscription.ts';
import type { Database } from '../../store/database.ts';
import { cancelSubscription as operatorHandler } from '../operator-api/cancelSubscription.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function cancelSubscription(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
