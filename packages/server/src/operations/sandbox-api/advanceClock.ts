// Moves the clock of the token's app forward, with all that falls due.

import { advanceClock as operation } from '@opentill/contract/sandbox-api/advanceClock.ts';
import type { Database } from '../../store/database.ts';
import type { AdvanceApp } from '../advance-clock.ts';
import { advanceClock as operatorHandler } from '../operator-api/advanceClock.ts';
import { type SandboxHandler, sandboxHandler } from '../operator-api/operator-handler.ts';

export function advanceClock(database: Database, advance: AdvanceApp): SandboxHandler {
  return sandboxHandler(operation, operatorHandler(database, advance));
}
