// The operations of the operator API that exist in the sandbox environment only.

import type { Clock } from '../runtime/clock.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Database } from '../store/connection/database.ts';
import type { RequestLog } from '../store/sandbox/request-log.ts';
import type { OperatorHandler } from './operator-handler.ts';
import type { AdvanceApp } from './sandbox/advance-clock.ts';
import { advanceClock } from './sandbox/advanceClock.ts';
import { getClock } from './sandbox/getClock.ts';
import { getFaults } from './sandbox/getFaults.ts';
import { listRequests } from './sandbox/listRequests.ts';
import { putClock } from './sandbox/putClock.ts';
import { putFaults } from './sandbox/putFaults.ts';
import { reset } from './sandbox/reset.ts';
import { putToken } from './tokens/putToken.ts';

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
