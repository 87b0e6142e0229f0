// npm run test:chaos: 100,000 events, a receiver that hangs, resets, fails or answers late for a third of the calls,
// and servers that are killed in the midst (test/webhooks/chaos.ts). Every event has to arrive.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { type OpentillProcess, startOpentill } from '../test/start/opentill-process.ts';
import { runChaos } from '../test/webhooks/chaos.ts';
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
const toldEveryMs = 10_000;

const adminKey = 'chaos-admin-key-0123456789';

/** Its log could grow to more than this process should hold. */
const settings = {
  OPENTILL_OPERATOR_KEY: adminKey,
  OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
  OPENTILL_LOG_LEVEL: 'error',
};

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-chaos-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeDataFolder(folder));
  const ledger = stack.use(await startLedger(folder));
  const start = (): OpentillProcess =>
    startOpentill({ env: { ...settings, DATABASE_URL: ledger.databaseUrl } });
  await makeTables(start);
  const begun = performance.now();
  let toldAt = begun;
  const report = await runChaos({
    connection: ledger.postgres.connection,
    appCount,
    purchasesOfApp,
    attemptMs,
    start,
    operatorKey: adminKey,
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

/** As a first server does that starts on the database. */
async function makeTables(start: () => OpentillProcess): Promise<void> {
  await using server = start();
  await server.ready();
}

await main();
