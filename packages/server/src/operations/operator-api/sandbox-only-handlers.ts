// The operations of the operator API that exist in the sandbox environment only.

import type { Clock } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database } from '../../store/database.ts';
import type { RequestLog } from '../../store/request-log.ts';
import type { AdvanceApp } from '../advance-clock.ts';
import { advanceClock } from './advanceClock.ts';
import { getClock } from './getClock.ts';
import { getFaults } from './getFaults.ts';
import { listRequests } from './listRequests.ts';
import type { OperatorHandler } from './operator-handler.ts';
import { putClock } from './putClock.ts';
import { putFaults } from './putFaults.ts';
import { putToken } from './putToken.ts';
import { reset } from './reset.ts';

export interface SandboxOnlyParts {
  readonly database: Database;
  readonly clock: Clock;
  /** The same for all listeners of a server: its limits are the server's. */
  readonly advance: AdvanceApp;
  readonly randomness: Randomness;
  readonly requestLog: RequestLog;
  /** Of access tokens. */
  readonly lifetimeSeconds: number;
}

export function sandboxOnlyHandlers(parts: SandboxOnlyParts): OperatorHandler[] {
  const { database, clock, advance, randomness, requestLog } = parts;
  return [
    getClock(database),
    putClock(database, clock),
    advanceClock(database, advance),
    putFaults(database, randomness),
    getFaults(database),
    putToken(database, parts),
    listRequests(database, requestLog),
    reset(database, parts),
  ];
}
