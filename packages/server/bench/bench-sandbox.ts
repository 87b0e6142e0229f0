// npm run bench:sandbox: how long a sandbox for tests takes to start, the first and the further ones of a process.

import { startSandbox } from '../src/testing.ts';
import { median, verdict } from './report.ts';

const furtherSandboxes = 9;
const barMs = 300;

async function startMs(stack: AsyncDisposableStack): Promise<number> {
  const since = performance.now();
  const sandbox = stack.use(await startSandbox());
  const ms = performance.now() - since;
  await sandbox.operator.listApps();
  return ms;
}

/** Each while those before it run, or after they have stopped. */
async function furtherMs(areKept: boolean): Promise<number> {
  await using kept = new AsyncDisposableStack();
  const measured: number[] = [];
  for (let n = 0; n < furtherSandboxes; n += 1) {
    await using own = new AsyncDisposableStack();
    measured.push(await startMs(areKept ? kept : own));
  }
  return median(measured);
}

function tell(what: string, ms: number): void {
  const isReached = ms < barMs;
  process.stdout.write(`${what} ${ms.toFixed(0)} ms, bar ${barMs}  ${verdict(isReached)}\n`);
  if (!isReached) process.exitCode = 1;
}

await using first = new AsyncDisposableStack();
process.stdout.write(`first sandbox of a process  ${(await startMs(first)).toFixed(0)} ms\n`);
tell('further ones, beside those before ', await furtherMs(true));
tell('further ones, one after the other ', await furtherMs(false));
