// A production server for tests, with a frozen clock and a crash point at which the process kills itself.

import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { parseTokenKeys } from '../../src/domain/tokens/access-token.ts';
import { startServer } from '../../src/program/server.ts';
import type { CrashPoint } from '../../src/runtime/crash-points.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';

export interface RenewingOrder {
  readonly connection: object;
  readonly env: Readonly<Record<string, string>>;
  /** The time of its frozen clock. */
  readonly now: number;
  readonly crashPoint: CrashPoint;
}

// A killed process does not write its compile cache, so it is written now.
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
  logCall: () => undefined,
  testing: {
    comparesClocks: false,
    crashPoints(point) {
      if (point === order.crashPoint) process.kill(process.pid, 'SIGKILL');
    },
  },
});
