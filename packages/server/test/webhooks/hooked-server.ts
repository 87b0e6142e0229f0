// A program of a test: a whole server that delivers webhooks, on the database of the test, with little time for
// each attempt. It is started by its path, and killed.

import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { parseTokenKeys } from '../../src/domain/tokens/access-token.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { startServer } from '../../src/server.ts';
import { welcome } from '../../src/welcome.ts';

// Who is killed leaves no compiled code for the next one to find, unless it does so before.
flushCompileCache();

const { connection, adminKey, attemptMs } = JSON.parse(process.argv[2] ?? '');
const tokenKeys = parseTokenKeys(`1:${Buffer.alloc(32, 1).toString('base64url')}`);
if ('problem' in tokenKeys) throw new Error(tokenKeys.problem);
const config = readConfig({
  OPENTILL_PORT: '0',
  OPENTILL_OPERATOR_PORT: '0',
  OPENTILL_OPERATOR_KEY: adminKey,
});
const server = await startServer(config, {
  connection,
  adminKey,
  tokenKeys,
  clock: systemClock,
  randomness: secureRandomness,
  log: pino({ level: 'silent' }),
  runsJobs: true,
  webhookTimeoutMs: attemptMs,
});
process.stdout.write(welcome({ config, server, adminKey, demo: undefined, hasColors: false }));
