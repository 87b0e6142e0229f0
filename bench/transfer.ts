// npm run bench:transfer: exports a store and imports it into an empty database with the command line, in rounds; its sales
// also as JSON lines and CSV files of another store, alternately.

import { join } from 'node:path';
import { Client } from 'pg';
import { databaseUrlOf } from '../test/support/database-url.ts';
import { appNames, createApps, recordPurchases } from './apps.ts';
import { type CommandRun, runCommand } from './command-line.ts';
import { writeMovedFiles } from './moved-files.ts';
import { median, report } from './report.ts';
import { startBench } from './servers.ts';

const purchases = 200_000;
const rounds = 5;
const targets = { exported: 50_000, imported: 20_000, exportMib: 200, csvShare: 0.8 } as const;

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
  const [ofLines, ofCsv]: [CommandRun[], CommandRun[]] = [[], []];
  const importInto = async (runs: CommandRun[], args: readonly string[]) => {
    await client.query('create database target');
    runs.push(await runCommand(['import', ...args], target));
    await client.query('drop database target');
  };
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    exports.push(await runCommand(['export', '--output', file], bench.databaseUrl));
    await importInto(imports, [file]);
    const { packageName, lines, csv } = await writeMovedFiles(file, bench.folder);
    await importInto(ofLines, [lines]);
    await importInto(ofCsv, ['--csv', ...csv, '--package', packageName]);
  }
  const perSecond = (runs: readonly CommandRun[]) => purchases / median(runs.map(({ seconds }) => seconds));
  const peakMib = (runs: readonly CommandRun[]) => Math.max(...runs.map((one) => one.peakMib));
  report('purchases exported per second', perSecond(exports), { least: targets.exported });
  report('purchases imported per second', perSecond(imports), { least: targets.imported });
  report('largest resident memory of an export, MiB', peakMib(exports), { most: targets.exportMib });
  report('largest resident memory of an import, MiB', peakMib(imports));
  report('largest resident memory of an import of CSV files, MiB', peakMib(ofCsv));
  const share = perSecond(ofCsv) / perSecond(ofLines);
  report('purchases per second from CSV, as a share of JSON lines', share, { least: targets.csvShare });
}

await main();
