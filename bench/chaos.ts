// npm run test:chaos: tests of `npm run test:rest` that repeat something, with many rounds. CHANCE_SEED repeats a run of
// random histories.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const tests = 'packages/server/test';
const files = [
  `${tests}/app-clock/histories.test.ts`,
  `${tests}/attack/consume-races.test.ts`,
  `${tests}/attack/crash.test.ts`,
  `${tests}/attack/hostile-input.test.ts`,
  `${tests}/attack/ledger-model.test.ts`,
  `${tests}/renewals/chance-histories.test.ts`,
  `${tests}/statistics/histories.test.ts`,
];
const rounds = {
  CHANCE_HISTORIES: '200',
  CLOCK_APPS: '200',
  CLOCK_HISTORIES: '25',
  CONSUME_RACES: '1000',
  HOSTILE_REQUESTS: '10000',
  LEDGER_HISTORIES: '50',
  POSTGRES_KILLS: '4',
  SERVER_KILLS: '10',
  STATISTIC_HISTORIES: '200',
};

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const running = spawn(process.execPath, [vitest, 'run', '--no-file-parallelism', ...files], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, ...rounds },
  stdio: 'inherit',
});
const [code] = await once(running, 'exit');
process.exitCode = code ?? 1;
