// Puts what shall go wrong with the calls of the token's app.

import { putFaults as operation } from '@opentill/contract/sandbox-api/putFaults.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { putFaults as operatorHandler } from '../operator-api/putFaults.ts';

export function putFaults(database: Database, randomness: Randomness): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, randomness));
}
