// 200 random histories of everything that can happen to subscriptions in production; CHANCE_SEED repeats a run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const file = 'packages/server/test/renewals/chance-histories.test.ts';
const running = spawn(process.execPath, [vitest, 'run', file], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: { ...process.env, CHANCE_HISTORIES: '200' },
  stdio: 'inherit',
});
const [code] = await once(running, 'exit');
process.exitCode = code ?? 1;
