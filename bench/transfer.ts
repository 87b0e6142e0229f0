// npm run bench:transfer: exports a store and imports it into an empty database with the command line, in rounds.

import { join } from 'node:path';
import { Client } from 'pg';
import { databaseUrlOf } from '../packages/server/test/database-url.ts';
import { appNames, createApps, recordPurchases } from './apps.ts';
import { type CommandRun, runCommand } from './command-line.ts';
import { median, report } from './report.ts';
import { startBench } from './servers.ts';

const purchases = 200_000;
const rounds = 3;
const targets = { exported: 50_000, imported: 20_000, exportMib: 200 } as const;

async function main(): Promise<void> {
  await using bench = await startBench();
  const server = await bench.startServer();
  const apps = await createApps(server, appNames(1));
  await recordPurchases(server, apps, 'p', purchases);
  await using stack = new AsyncDisposableStack();
  const client = new Client(bench.postgres.connection);
  await client.connect();
  stack.defer(() => client.end());
  const file = join(bench.folder, 'store.ndjson');
  const target = databaseUrlOf({ ...bench.postgres.connection, database: 'target' });
  const exports: CommandRun[] = [];
  const imports: CommandRun[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    exports.push(await runCommand(['export', '--output', file], bench.databaseUrl));
    await client.query('create database target');
    imports.push(await runCommand(['import', file], target));
    await client.query('drop database target');
  }
  const perSecond = (runs: readonly CommandRun[]) => purchases / median(runs.map(({ seconds }) => seconds));
  const peakMib = (runs: readonly CommandRun[]) => Math.max(...runs.map((one) => one.peakMib));
  report('purchases exported per second', perSecond(exports), { least: targets.exported });
  report('purchases imported per second', perSecond(imports), { least: targets.imported });
  report('largest resident memory of an export, MiB', peakMib(exports), { most: targets.exportMib });
  report('largest resident memory of an import, MiB', peakMib(imports));
}

await main();
