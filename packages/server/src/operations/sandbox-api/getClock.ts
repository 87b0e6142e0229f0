// Reads the clock of the token's app.

import { getClock as operation } from '@opentill/contract/sandbox-api/getClock.ts';
import type { Database } from '../../store/database.ts';
import { getClock as operatorHandler } from '../operator-api/getClock.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function getClock(database: Database): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database));
}
