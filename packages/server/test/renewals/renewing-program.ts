// A production server in a process of its own, with what a test needs besides: a clock that stands where the test
// says, and a crash point at which the process ends as kill -9 ends it.

import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { parseTokenKeys } from '../../src/domain/tokens/access-token.ts';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { startServer } from '../../src/server.ts';

export interface RenewingOrder {
  readonly connection: object;
  readonly env: Readonly<Record<string, string>>;
  /** Its clock stands there. */
  readonly now: number;
  readonly crashPoint: CrashPoint;
}

// Who is killed leaves no compiled code for the next one to find, unless it does so before.
flushCompileCache();

const order = JSON.parse(process.env['ORDER'] ?? '') as RenewingOrder;
const tokenKeys = parseTokenKeys(`1:${Buffer.alloc(32, 1).toString('base64url')}`);
if ('problem' in tokenKeys) throw new Error(tokenKeys.problem);
await startServer(readConfig({ OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '0', ...order.env }), {
  connection: order.connection,
  adminKey: undefined,
  tokenKeys,
  clock: { now: () => order.now },
  randomness: secureRandomness,
  log: pino({ level: 'error' }, pino.destination(2)),
  runsJobs: true,
  crashPoints(point) {
    if (point === order.crashPoint) process.kill(process.pid, 'SIGKILL');
  },
});
