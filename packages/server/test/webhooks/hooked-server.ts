// A server that delivers webhooks on the database of a test, with a short timeout of attempts. Tests start it by its path and
// kill it.

import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { parseTokenKeys } from '../../src/domain/tokens/access-token.ts';
import { startServer } from '../../src/program/server.ts';
import { welcome } from '../../src/program/welcome.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';

// A killed process does not write its compile cache, so it is written now.
flushCompileCache();

const { connection, attemptMs } = JSON.parse(process.argv[2] ?? '');
const tokenKeys = parseTokenKeys(`1:${Buffer.alloc(32, 1).toString('base64url')}`);
if ('problem' in tokenKeys) throw new Error(tokenKeys.problem);
const config = readConfig({
  OPENTILL_PORT: '0',
  OPENTILL_OPERATOR_PORT: '0',
  OPENTILL_WEBHOOK_ALLOW: 'loopback',
});
const { publicUrl, operatorUrl } = await startServer(config, {
  connection,
  adminKey: undefined,
  tokenKeys,
  clock: systemClock,
  randomness: secureRandomness,
  log: pino({ level: 'silent' }),
  logCall: () => undefined,
  testing: { webhookTimeoutMs: attemptMs },
});
process.stdout.write(
  welcome({
    ...{ config, publicUrl, operatorUrl },
    adminKey: undefined,
    demo: undefined,
    ...{ elsewhere: undefined, consolePath: undefined, isComplete: true },
    hasColors: false,
  }),
);
