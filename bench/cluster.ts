// npm run bench:cluster: calls per second, and an import, on a Citus cluster of three nodes and on one PostgreSQL,
// in alternating rounds. The one PostgreSQL is a plain database of the coordinator. pgbench has to be in PATH.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { citusMissing, startCitusNodes } from '../test/support/cluster/citus-nodes.ts';
import { createClusterDatabase, dropClusterDatabase } from '../test/support/cluster/cluster-database.ts';
import { databaseUrlOf } from '../test/support/database-url.ts';
import { query } from '../test/support/query.ts';
import {
  type App,
  appNames,
  connections,
  createApps,
  eachOnce,
  purchaseCall,
  readRequests,
  recordPurchases,
} from './apps.ts';
import { runCommand } from './command-line.ts';
import { type LoadResult, runLoad } from './load.ts';
import { pgbenchReads } from './pgbench.ts';
import { median, report } from './report.ts';
import { type Listeners, serverSettings, startServer } from './servers.ts';

const rounds = 3;
const seconds = 4;
const readable = 12_800;
const writtenPerRound = 2_560;
const manyApps = 200;
const imported = 1_000_000;
const importRounds = 2;
/** Ratios to one PostgreSQL, and of reads to those of pgbench. */
const targets = { read: 0.5, consume: 0.4, import: 0.25, pgbench: 0.4 } as const;

type Kind = 'one PostgreSQL' | 'cluster';
const kinds = ['one PostgreSQL', 'cluster'] as const;

interface Databases {
  readonly nodes: readonly ClientConfig[];
  readonly stack: AsyncDisposableStack;
}

/** A new database with the tables of a store, dropped at the end of the run. */
async function createStore(kind: Kind, name: string, { nodes, stack }: Databases): Promise<ClientConfig> {
  const [coordinator] = nodes;
  await dropClusterDatabase(nodes, name);
  stack.defer(() => dropClusterDatabase(nodes, name));
  if (kind === 'cluster') await createClusterDatabase(nodes, name);
  else await query({ ...coordinator }, `create database ${name}`);
  const connection = { ...coordinator, database: name };
  await runCommand(['database', 'migrate'], databaseUrlOf(connection));
  if (kind === 'cluster') await runCommand(['database', 'distribute'], databaseUrlOf(connection));
  return connection;
}

type Call = 'read' | 'record' | 'consume';

interface Subject {
  readonly kind: Kind;
  readonly connection: ClientConfig;
  readonly server: Listeners;
}

/** Measures the calls of a number of apps; the reads of pgbench are those of the cluster's database. */
async function measureCalls(subjects: readonly Subject[], names: readonly string[]): Promise<void> {
  const measured = new Map<string, number[]>();
  const add = (what: string, value: number) => measured.set(what, [...(measured.get(what) ?? []), value]);
  const created = new Map<Kind, readonly App[]>();
  for (const { kind, server } of subjects) {
    const apps = await createApps(server, names);
    created.set(kind, apps);
    await recordPurchases(server, apps, 'read', readable);
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const { kind, server, connection } of subjects) {
      const results = await measureRound(server, created.get(kind) ?? [], `round${round}`);
      // The first round fills caches.
      if (round === 0) continue;
      for (const [call, { perSecond }] of Object.entries(results)) add(`${kind}: ${call}`, perSecond);
      if (kind === 'cluster') add('pgbench', await pgbenchReads(connection, { names, readable, seconds }));
    }
  }
  const of = (kind: Kind, call: Call) => median(measured.get(`${kind}: ${call}`) ?? []);
  process.stdout.write(`\napps: ${names.length}\n`);
  for (const kind of kinds) {
    for (const call of ['read', 'record', 'consume'] as const) {
      report(`${kind}: ${call}s per second`, of(kind, call));
    }
  }
  const pgbench = median(measured.get('pgbench') ?? []);
  report('cluster: reads per second by pgbench', pgbench);
  const ratio = (call: Call) => of('cluster', call) / of('one PostgreSQL', call);
  const isOne = names.length === 1;
  report('reads, ratio', ratio('read'), isOne ? { least: targets.read } : {});
  report('records, ratio', ratio('record'));
  report('consumes, ratio', ratio('consume'), isOne ? { least: targets.consume } : {});
  report('reads, ratio to pgbench', of('cluster', 'read') / pgbench, isOne ? {} : { least: targets.pgbench });
}

async function measureRound(
  server: Listeners,
  apps: readonly App[],
  name: string,
): Promise<Record<Call, LoadResult>> {
  const url = server.publicUrl;
  const requestsOf = (connection: number) => readRequests(apps, 'read', readable, connection);
  const read = await runLoad({ url, connections, extent: { seconds }, requestsOf });
  const record = await recordPurchases(server, apps, name, writtenPerRound);
  const consume = await eachOnce(url, writtenPerRound, (n) => purchaseCall('consume', apps, name, n));
  return { read, record, consume };
}

/** Imports the purchases of many apps into new databases. */
async function measureImport(source: ClientConfig, databases: Databases, folder: string): Promise<void> {
  const names = appNames(manyApps).map((name) => `'${name}'`);
  await query(
    source,
    `insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time,
        developer_payload, price, currency, recorded_by)
      select (array[${names}])[1 + n % ${manyApps}], 'import-' || n, 'coins', 'o-' || n, 'b-' || n % 50000,
        1700000000000 + n, 'payload-' || n, 499, 'EUR', 'operator:checkout'
      from generate_series(0, ${imported - 1}) n`,
  );
  const [{ count }] = await query(source, 'select count(*)::integer as count from purchase');
  const file = join(folder, 'store.ndjson');
  await runCommand(['export', '--output', file], databaseUrlOf(source));
  const perSecond: Record<Kind, number[]> = { 'one PostgreSQL': [], cluster: [] };
  for (let round = 0; round < importRounds; round += 1) {
    for (const kind of kinds) {
      const target = await createStore(kind, 'bench_import', databases);
      perSecond[kind].push(count / (await runCommand(['import', file], databaseUrlOf(target))).seconds);
    }
  }
  process.stdout.write(`\nimport of ${count.toLocaleString('en')} purchases of ${manyApps} apps\n`);
  for (const kind of kinds) report(`${kind}: purchases per second`, median(perSecond[kind]));
  const ratio = median(perSecond.cluster) / median(perSecond['one PostgreSQL']);
  report('import, ratio', ratio, { least: targets.import });
}

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const cluster = await startCitusNodes({ isDurable: true });
  if (cluster === undefined) throw new Error(citusMissing);
  stack.use(cluster);
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const databases = { nodes: cluster.nodes, stack };
  const subjects: Subject[] = [];
  for (const kind of kinds) {
    const connection = await createStore(kind, `bench_subject_${subjects.length}`, databases);
    const env = { ...serverSettings, DATABASE_URL: databaseUrlOf(connection) };
    const server = stack.use(await startServer({ env, logFile: join(folder, `${kind}.log`) }));
    subjects.push({ kind, connection, server });
  }
  await measureCalls(subjects, appNames(1, 'com.bench.single'));
  await measureCalls(subjects, appNames(manyApps));
  await measureImport(subjects[0]?.connection ?? {}, databases, folder);
}

await main();
