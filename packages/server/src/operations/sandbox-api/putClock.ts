// Lets the clock of the token's app run at a rate, or freezes it.

import { putClock as operation } from '@opentill/contract/sandbox-api/putClock.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../store/database.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';
import { putClock as operatorHandler } from '../operator-api/putClock.ts';

export function putClock(database: Database, clock: Clock): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, clock));
}
