// npm run bench:transfer: exports a store and imports it into an empty database with the command line, in rounds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { databaseUrlOf } from '../packages/server/test/database-url.ts';
import { appNames, createApps, recordPurchases } from './apps.ts';
import { median, report } from './report.ts';
import { readPeakMemory, startBench } from './servers.ts';

const purchases = 200_000;
const rounds = 3;
const memoryPollMs = 20;
const targets = { exported: 50_000, imported: 20_000, exportMib: 200 } as const;

const program = fileURLToPath(new URL('../packages/cli/bin/opentill.cjs', import.meta.url));

interface Run {
  readonly perSecond: number;
  readonly peakMib: number;
}

async function run(args: readonly string[], databaseUrl: string): Promise<Run> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      OPENTILL_ENVIRONMENT: 'production',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  let peakMib = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peakMib = (await readPeakMemory(child)) ?? peakMib;
    await Promise.race([exited, pause(memoryPollMs)]);
  }
  const perSecond = (purchases * 1_000) / (performance.now() - begun);
  if (child.exitCode !== 0) throw new Error(`opentill ${args.join(' ')} exited with ${child.exitCode}`);
  return { perSecond, peakMib };
}

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
  const exports: Run[] = [];
  const imports: Run[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    exports.push(await run(['export', '--output', file], bench.databaseUrl));
    await client.query('create database target');
    imports.push(await run(['import', file], target));
    await client.query('drop database target');
  }
  const perSecond = (runs: readonly Run[]) => median(runs.map((one) => one.perSecond));
  const peakMib = (runs: readonly Run[]) => Math.max(...runs.map((one) => one.peakMib));
  report('purchases exported per second', perSecond(exports), { least: targets.exported });
  report('purchases imported per second', perSecond(imports), { least: targets.imported });
  report('largest resident memory of an export, MiB', peakMib(exports), { most: targets.exportMib });
  report('largest resident memory of an import, MiB', peakMib(imports));
}

await main();
