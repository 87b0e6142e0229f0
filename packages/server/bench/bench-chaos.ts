// npm run test:chaos: 100,000 events, a receiver that hangs, resets, fails or answers late for a third of the calls,
// and servers that are killed in the midst (test/webhooks/chaos.ts). Every event has to arrive.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../src/runtime/pause.ts';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { type ChaosServer, runChaos } from '../test/webhooks/chaos.ts';
import { startLedger } from './bench-ledger.ts';
import { verdict } from './report.ts';

const appCount = 30;
/** Three events each; a few more than 100,000 in all. */
const purchasesOfApp = 1_112;
const serverCount = 2;
const kills = 10;
/** What a server gives a receiver. */
const attemptMs = 10_000;
const deadlineMs = 3_600_000;
const readyWithinMs = 60_000;
const pollMs = 50;
const toldEveryMs = 10_000;

const adminKey = 'chaos-admin-key-0123456789';
const program = new URL('../bin/opentill.cjs', import.meta.url).pathname;

async function startServer(databaseUrl: string): Promise<ChaosServer> {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      OPENTILL_PORT: '0',
      OPENTILL_OPERATOR_PORT: '0',
      OPENTILL_OPERATOR_KEY: adminKey,
      OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
    },
  });
  const ended = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const operatorUrl = await readUrl(child);
  return {
    kill,
    operate: (method, path, body) =>
      fetch(`${operatorUrl}/operator/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: kill,
  };
}

async function readUrl(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 10_000) said += text;
  });
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    const [, url] = /operator API\s+(http:\/\/[^\s/]+)/.exec(said) ?? [];
    if (url !== undefined) return url;
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`No server started: ${said}`);
    await pause(pollMs);
  }
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-chaos-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeDataFolder(folder));
  const ledger = stack.use(await startLedger(folder));
  // The first server makes the tables that the events go into.
  await (await startServer(ledger.databaseUrl)).kill();
  const begun = performance.now();
  let toldAt = begun;
  const report = await runChaos({
    connection: { ...ledger.postgres.connection, ssl: false },
    appCount,
    purchasesOfApp,
    attemptMs,
    start: () => startServer(ledger.databaseUrl),
    serverCount,
    kills,
    endsLeases: false,
    deadlineMs,
    onProgress(delivered) {
      if (performance.now() - toldAt < toldEveryMs) return;
      toldAt = performance.now();
      process.stderr.write(`${delivered} delivered\n`);
    },
  });
  const isWhole = report.acknowledged === report.events && report.states['delivered'] === report.events;
  const isInOrder = report.overtaking <= 2 * report.died;
  process.stdout.write(`${JSON.stringify(report)}\n`);
  process.stdout.write(
    `${report.events} events, ${report.killed} kills, ${Math.round((performance.now() - begun) / 1000)} s: every one delivered ${verdict(isWhole)}, doubles the same call ${verdict(report.altered === 0)}, in order ${verdict(isInOrder)}\n`,
  );
}

await main();
