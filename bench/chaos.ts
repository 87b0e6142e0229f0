// npm run test:chaos: tests of `npm test` that repeat something, with many rounds. CHANCE_SEED repeats a run of random
// histories.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const files = [
  ...['app-clock/histories', 'purchases/consume-races', 'purchases/crash', 'http/hostile-input'],
  ...['purchases/ledger-model', 'sandbox/resets-under-load', 'renewals/chance-histories'],
  ...['statements/histories', 'statistics/histories', 'transfer/round-trip'],
  'domain/subscriptions/extension',
].map((name) => `packages/server/test/${name}.test.ts`);
const rounds = {
  CHANCE_HISTORIES: '200',
  CLOCK_APPS: '200',
  CLOCK_HISTORIES: '25',
  CONSUME_RACES: '1000',
  EXTENSIONS: '20000',
  HOSTILE_REQUESTS: '10000',
  LEDGER_HISTORIES: '50',
  LOADED_RESETS: '20',
  POSTGRES_KILLS: '4',
  ROUND_TRIPS: '10',
  SERVER_KILLS: '10',
  STATEMENT_HISTORIES: '100',
  STATISTIC_HISTORIES: '200',
};

/** The timeout of a test with many rounds. */
const timeoutMs = 3_600_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync('npx', ['vitest', 'run', `--testTimeout=${timeoutMs}`, ...files], {
  cwd: root,
  env: { ...process.env, ...rounds },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
