// The operations of the operator API that exist in the sandbox environment only.

import type { Database } from '../../store/database.ts';
import type { AdvanceApp } from '../advance-clock.ts';
import { advanceClock } from './advanceClock.ts';
import { getClock } from './getClock.ts';
import type { OperatorHandler } from './operator-handler.ts';
import { putClock } from './putClock.ts';

export interface SandboxOnlyParts {
  readonly database: Database;
  /** The same for all listeners of a server: its limits are the server's. */
  readonly advance: AdvanceApp;
}

export function sandboxOnlyHandlers({ database, advance }: SandboxOnlyParts): OperatorHandler[] {
  return [getClock(database), putClock(database), advanceClock(database, advance)];
}
