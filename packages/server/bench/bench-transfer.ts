// npm run bench:transfer: a store of 1,000,000 purchases, each with its event, exported and imported into an empty
// database by the real program, in rounds; and how long its --help takes.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/runtime/clock.ts';
import { pause } from '../src/runtime/pause.ts';
import { databaseUrlOf } from '../test/database-url.ts';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { type Ledger, startLedger } from './bench-ledger.ts';
import { median, verdict } from './report.ts';

const purchaseCount = 1_000_000;
const rounds = 3;
const helpRounds = 15;
const bars = { exported: 50_000, exportMib: 200, imported: 20_000, helpMs: 150 } as const;

const program = new URL('../../opentill/bin/opentill.cjs', import.meta.url).pathname;
const packageName = 'com.bench.transfer';
const msPerSecond = 1_000;
const kibPerMib = 1_024;
const pollMs = 20;

interface Run {
  readonly ms: number;
  /** The largest resident memory; undefined where the system does not tell. */
  readonly peakMib: number | undefined;
}

async function peakMemory(child: ChildProcess): Promise<number | undefined> {
  let peak: number | undefined;
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const kib = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    if (kib !== undefined) peak = Math.round(Number(kib) / kibPerMib);
    await pause(pollMs);
  }
  return peak;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const memory = peakMemory(child);
  const [code] = (await once(child, 'exit')) as [number | null];
  const ms = performance.now() - begun;
  if (code !== 0) throw new Error(`opentill ${args.join(' ')} ended with ${code}.`);
  return { ms, peakMib: await memory };
}

/** As recordPurchase leaves them, by the block. */
async function fill({ client }: Ledger, now: number): Promise<void> {
  const numbers = `generate_series(1, ${purchaseCount}) n`;
  const purchaseId = "'SANDBOX' || lpad(n::text, 13, '0')";
  const statements = [
    `insert into app (package_name, client_id, app_number, client_secret_hash, created_at)
      values ('${packageName}', '${packageName}', 1, decode(repeat('00', 32), 'hex'), ${now})`,
    `insert into access_token (package_name) values ('${packageName}')`,
    `insert into app_counter (package_name, event_order) values ('${packageName}', ${purchaseCount})`,
    `insert into product (package_name, product_id, type, price, currency, created_at, updated_at)
      values ('${packageName}', 'coins', 'one_time', 499, 'EUR', ${now}, ${now})`,
    `insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time,
        developer_payload, price, currency)
      select '${packageName}', ${purchaseId}, 'coins', 'order-' || n, 'buyer-' || n % 1000, ${now} + n,
        'payload-' || n, 499, 'EUR' from ${numbers}`,
    `insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
      select '${packageName}', n, 'purchase.completed', ${now} + n, ${purchaseId}, 'coins', 'operator:checkout',
        'request-' || n from ${numbers}`,
  ];
  for (const statement of statements) await client.query(statement);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

function tell(what: string, values: readonly number[], bar: { value: number; isReached: boolean }): void {
  const shown = values.map((value) => Math.round(value).toLocaleString('en')).join(', ');
  process.stdout.write(
    `${what}: ${shown}; bar ${bar.value.toLocaleString('en')}  ${verdict(bar.isReached)}\n`,
  );
}

function tellRates(what: string, runs: readonly Run[], bar: number): void {
  const rates = runs.map(({ ms }) => (purchaseCount / ms) * msPerSecond);
  tell(`purchases a second, ${what}`, rates, { value: bar, isReached: median(rates) >= bar });
}

async function measureTransfer(folder: string, stack: AsyncDisposableStack): Promise<void> {
  const ledger = stack.use(await startLedger(join(folder, 'data')));
  const env = { DATABASE_URL: ledger.databaseUrl };
  await run(['database', 'migrate'], env);
  await fill(ledger, systemClock.now());
  const file = join(folder, 'store.ndjson');
  const target = { DATABASE_URL: databaseUrlOf({ ...ledger.postgres.connection, database: 'target' }) };
  const exports: Run[] = [];
  const imports: Run[] = [];
  for (let round = 0; round < rounds; round += 1) {
    exports.push(await run(['export', '--output', file], env));
    await ledger.client.query('create database target');
    await ledger.client.query('checkpoint');
    imports.push(await run(['import', file], target));
    await ledger.client.query('drop database target');
  }
  tellRates('exported', exports, bars.exported);
  tellRates('imported', imports, bars.imported);
  const peaks = [exports, imports].map((runs) => runs.flatMap(({ peakMib }) => peakMib ?? []));
  const [exportPeaks = [], importPeaks = []] = peaks;
  const most = Math.max(0, ...exportPeaks);
  tell('largest resident memory of an export, MiB', exportPeaks, {
    value: bars.exportMib,
    isReached: most < bars.exportMib,
  });
  process.stdout.write(`largest resident memory of an import, MiB: ${importPeaks.join(', ')}\n`);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  stack.defer(() => removeDataFolder(join(folder, 'data')));
  await run(['--help']);
  const helps: number[] = [];
  for (let round = 0; round < helpRounds; round += 1) helps.push((await run(['--help'])).ms);
  const isQuick = median(helps) < bars.helpMs;
  tell('opentill --help, ms', helps, { value: bars.helpMs, isReached: isQuick });
  await measureTransfer(folder, stack);
}

await main();
