// Updates a store from the former version to one that follows this checkout, as docs/operating.md says, while both versions
// serve it. `ROWS=1000000 npm run test:upgrade` does it with so many purchases, and
// EXPORT=<file> keeps an export of the former version.

import { resolve } from 'node:path';
import { Client, type ClientConfig, Pool } from 'pg';
import { expect, test } from 'vitest';
import { fillStore, indexesOf } from '../../bench/size-fill.ts';
import { monotonicClock } from '../../packages/server/src/runtime/clock.ts';
import { haproxy, missingFor } from '../interop/programs.ts';
import { citusMissing, startCitusNodes } from '../support/cluster/citus-nodes.ts';
import { createClusterDatabase } from '../support/cluster/cluster-database.ts';
import { makeScratch } from '../support/embedded/scratch.ts';
import {
  adminKey,
  callPurchaseApi,
  createTestApp,
  databaseEnv,
  recordTestPurchase,
  useForFile,
} from '../support/harness.ts';
import { query, queryOnce } from '../support/query.ts';
import { startOpentill } from '../support/start/opentill-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { fillEveryKind } from './every-kind.ts';
import { installFormerVersion } from './former-version.ts';
import { startWatchedPostgres, waitMaxMs } from './lock-waits.ts';
import { buildUpgrade, indexByHandSql, unusedColumnSql } from './next-version.ts';
import { startLoad, startRolledStore } from './rolled-store.ts';

/** The purchases with which production begins, made by SQL. */
const rows = Number(process.env['ROWS'] ?? 0);
const rowsOfScaleOne = 10_000_000;

/** Absolute, because programs run in folders of their own. */
const exportTo = process.env['EXPORT'] && resolve(process.env['EXPORT']);

/** So often, the migration waits behind a transaction that reads. */
const waitsMin = 2;

const begun = monotonicClock.now();
const say = (line: string) =>
  console.log(`${((monotonicClock.now() - begun) / 1_000).toFixed(1).padStart(6)} s  ${line}`);

if (missingFor(haproxy) !== undefined)
  say('HAProxy is not installed on this machine: two servers were not replaced.');
const former = await installFormerVersion();
say(`the former version is ${former.commit}`);
const next = await useForFile(await buildUpgrade());
const postgres = await useForFile(startWatchedPostgres());

async function runCommand(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  await using running = startOpentill({ program, args, env });
  expect(await running.ended(), running.output.stderr).toBe(0);
  return running.output.stdout;
}

/** An empty database, or one with many rows, with the schema of the former version. */
async function prepareDatabase(environment: 'production' | 'sandbox'): Promise<ClientConfig> {
  await query(postgres.connection, `create database ${environment}`);
  const connection = { ...postgres.connection, database: environment };
  await migrateByFormer(connection, environment);
  return connection;
}

async function migrateByFormer(connection: ClientConfig, environment: string): Promise<void> {
  const env = { ...databaseEnv(connection), OPENTILL_ENVIRONMENT: environment };
  await runCommand(former.commandLine, ['database', 'migrate'], env);
  // Leaves no connection open, with which tables would not be distributed.
  await queryOnce(connection, unusedColumnSql);
}

async function fillRows(connection: ClientConfig): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  const pool = new Pool({ ...connection, options: '-c maintenance_work_mem=256MB', max: 2 });
  await fillStore((_, text) => pool.query(text), await indexesOf(client), rows / rowsOfScaleOne);
  await Promise.all([pool.end(), client.end()]);
  say(`filled with ${rows} purchases`);
}

/** A transaction that reads a table, as an export does. */
async function beginRead(connection: ClientConfig): Promise<Client> {
  const reader = new Client(connection);
  await reader.connect();
  await reader.query('begin isolation level repeatable read; select from purchase limit 1');
  return reader;
}

const waitingText = `select query_start::text as start from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query ilike '%alter table%'`;

/** Migrates as soon as a transaction has ended that has made it wait. */
async function migrate(connection: ClientConfig, env: Readonly<Record<string, string>>): Promise<void> {
  await query(connection, indexByHandSql);
  say('created the index by hand');
  const reader = await beginRead(connection);
  const started = monotonicClock.now();
  const migrated = runCommand(next.commandLine, ['database', 'migrate'], env);
  const waits = new Set<string>();
  const seeWaits = async () => {
    for (const { start } of await query(connection, waitingText)) waits.add(start);
    return waits.size >= waitsMin;
  };
  await waitFor(seeWaits, { what: 'a migration that waits again' });
  await reader.end();
  say(`the migration has waited ${waits.size} times for a transaction that reads`);
  const names = (await migrated).trim().replaceAll('\n', ', ');
  say(
    `${names}: ${Math.round(monotonicClock.now() - started)} ms with the start of the command and its waits`,
  );
}

/** Whether what the migrations add is distributed as purchases are, and how many nodes have the function. */
const distributedText = `select
    (select colocationid from pg_dist_partition where logicalrelid = 'gift'::regclass) = p.colocationid as table,
    (select colocationid = p.colocationid and distribution_argument_index = 0 from pg_catalog.pg_dist_object
      where classid = 'pg_proc'::regclass and objid = 'consume_purchases_v2'::regproc) as function,
    (select count(*)::integer from run_command_on_all_nodes('select ''consume_purchases_v2''::regproc')
      where success) as nodes
  from pg_dist_partition p where p.logicalrelid = 'purchase'::regclass`;

/** The responses of JSON as values, to which a later version may add fields. */
function valuesOf(shown: Readonly<Record<string, string>>): object {
  const values = Object.entries(shown).map(([name, response]) => {
    const [, status, body] = /^(\d+) ([[{].*)$/s.exec(response) ?? [];
    return [name, body === undefined ? response : { status, body: JSON.parse(body) }];
  });
  return Object.fromEntries(values);
}

/** Migrates a sandbox of the former version, which serves in the meantime, and expects the same of both versions. */
async function updateSandbox(connection: ClientConfig, exportTo?: string) {
  const env = {
    ...databaseEnv(connection),
    OPENTILL_WEBHOOK_ALLOW: 'loopback',
    OPENTILL_TIME_ZONE: 'UTC',
  };
  await using old = startOpentill({ program: former.program, env });
  const address = await old.ready();
  const filled = await fillEveryKind(address);
  const before = await filled.read(address);
  say(`filled by the former version; ${Object.keys(before).length} reads`);
  if (exportTo !== undefined) await runCommand(former.commandLine, ['export', '--output', exportTo], env);
  await query(connection, indexByHandSql);
  const migrated = runCommand(next.commandLine, ['database', 'migrate'], env);
  const [, during] = await Promise.all([migrated, filled.read(address)]);
  expect(during).toEqual(before);
  expect(await filled.read(address)).toEqual(before);
  await using renewed = startOpentill({ program: next.program, env });
  const renewedAddress = await renewed.ready();
  expect(valuesOf(await filled.read(renewedAddress))).toMatchObject(valuesOf(before));
  say('the former version reads the same on the next schema, and so does the next version');
  const app = await createTestApp(renewedAddress, 'com.example.c');
  for (const server of [address, renewedAddress]) {
    const { purchaseId } = await recordTestPurchase(server, app);
    const path = `/consume/${purchaseId}/${app.packageName}`;
    const consumed = await callPurchaseApi(server, { token: app.token, method: 'POST', path });
    expect(consumed).toMatchObject({ status: 200, body: { consumptionState: 1 } });
  }
  return { months: filled.months, before };
}

test('a sandbox with every kind of row shows the same on both schemas and in both versions', async () => {
  say('sandbox: on one PostgreSQL');
  const { months, before } = await updateSandbox(await prepareDatabase('sandbox'), exportTo);
  say(`the closed months ${months} have not changed`);
  const statement = `GET /operator/v1/apps/com.example.a/statements/${months[0]}`;
  expect(before[statement]).toMatch(/^200 .*"salesAmount":[1-9].*"refundsAmount":[1-9]/);
  expect(before[`${statement} as CSV`]).toMatch(/^200 .*,sale,/s);
});

test('on a cluster as well, where a migration distributes the table and the function that it adds', async ({
  skip,
}) => {
  await using cluster = await startCitusNodes({ isDurable: false });
  if (cluster === undefined) {
    say(`${citusMissing} No cluster was updated.`);
    return skip();
  }
  const connection = await createClusterDatabase(cluster.nodes, 'sandbox');
  await migrateByFormer(connection, 'sandbox');
  await runCommand(former.commandLine, ['database', 'distribute', '--shards', '4'], databaseEnv(connection));
  say('sandbox: on a cluster of three nodes');
  await updateSandbox(connection);
  expect(await query(connection, distributedText)).toEqual([{ table: true, function: true, nodes: 3 }]);
});

test('a data folder of the former version is that of the next version', async () => {
  await using scratch = await makeScratch();
  const env = {
    OPENTILL_DATA_DIR: scratch.dataFolder,
    OPENTILL_OPERATOR_KEYS: `store:admin:${adminKey}`,
  };
  await using old = startOpentill({ program: former.program, env });
  const address = await old.ready();
  const app = await createTestApp(address);
  await recordTestPurchase(address, app, { purchaseId: 'kept' });
  const read = { token: app.token, path: `/details/kept/${app.packageName}` };
  const { status, text } = await callPurchaseApi(address, read);
  old.signal('SIGTERM');
  expect([status, await old.ended()]).toEqual([200, 0]);
  await using renewed = startOpentill({ program: next.program, env });
  expect(await callPurchaseApi(await renewed.ready(), read)).toMatchObject({ status, text });
  say('the next version serves a data folder of the former version');
});

test.runIf(missingFor(haproxy) === undefined)(
  'two servers are replaced one after the other: no call fails or waits for a lock, and nothing is lost',
  async () => {
    const connection = await prepareDatabase('production');
    if (rows > 0) await fillRows(connection);
    await using store = await startRolledStore({ connection, program: former.program });
    say('production: two servers of the former version serve behind HAProxy');
    const waitsBefore = (await postgres.waits()).length;
    const load = await startLoad(store);
    await load.goOn();
    await migrate(connection, { ...databaseEnv(connection), ...store.env });
    await load.goOn();
    say(`the slowest call so far took ${load.slowestMs()} ms`);
    for (const [name, program, version] of [
      ['a', next.program, 'next'],
      ['b', next.program, 'next'],
      ['a', former.program, 'former'],
      ['a', next.program, 'next'],
    ] as const) {
      await store.servers.restart(name, program);
      await load.goOn();
      say(`replaced ${name} by the ${version} version; ${load.failed.length} failed calls so far`);
    }
    const { problems, ...counts } = await load.end(connection);
    const waits = (await postgres.waits()).slice(waitsBefore);
    say(
      `${JSON.stringify(counts)}, ${load.failed.length} failed calls, ${waits.length} waits above ${waitMaxMs} ms`,
    );
    const rejected = [...store.servers.loggedCalls('a'), ...store.servers.loggedCalls('b')].filter(
      ({ status, operationId }) => Number(status) >= 500 && operationId !== 'healthReady',
    );
    for (const line of rejected) say(JSON.stringify(line));
    expect([problems, load.failed, waits]).toEqual([[], [], []]);
  },
);
