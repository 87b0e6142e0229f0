// Rolls a store to a version with further migrations, while both versions serve.

import { Client, type ClientConfig } from 'pg';
import { expect, test } from 'vitest';
import { buildNextVersion } from '../../../../test/support/built-programs.ts';
import {
  adminKey,
  createTestApp,
  databaseEnv,
  emptyDatabase,
  recordTestPurchase,
  useForFile,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { type OpentillProcess, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { AcknowledgedLoad } from '../purchases/acknowledged-load.ts';

/** Acknowledged calls before the next step. */
const callsPerStep = 150;

/** The migration has tried again by then. */
const waitsMin = 2;

const next = await useForFile(
  buildNextVersion({
    '9001_note': 'alter table purchase add column note text;',
    '9002_other_note': 'alter table purchase add column other_note text;',
  }),
);

const startPresent = (connection: ClientConfig): OpentillProcess =>
  startOpentill({ env: databaseEnv(connection) });
const startNext = (connection: ClientConfig): OpentillProcess =>
  startOpentill({ env: databaseEnv(connection), program: next.program });

/** The rows of an app, by table; the notes are the columns of the new version. */
async function readStored(connection: ClientConfig, packageName: string): Promise<unknown> {
  const tables = ['app', 'product', 'purchase', 'subscription', 'event', 'operator_action'];
  const rows = tables.map((table) =>
    query(
      connection,
      `select to_jsonb(t) - 'note' - 'other_note' as stored from ${table} t where package_name = $1 order by stored`,
      [packageName],
    ),
  );
  return await Promise.all(rows);
}

/** Waits for this many further acknowledged calls. */
async function loaded(load: AcknowledgedLoad): Promise<void> {
  const enough = load.acknowledgedCalls + callsPerStep;
  await waitFor(() => load.acknowledgedCalls >= enough, { what: 'a load that goes on' });
}

async function stop(server: OpentillProcess): Promise<void> {
  server.signal('SIGTERM');
  expect([await server.ended(), server.output.stderr]).toEqual([0, '']);
}

/** A transaction that reads a table, as an export does. */
async function beginRead(connection: ClientConfig, table: string): Promise<Client> {
  const reader = new Client(connection);
  reader.on('error', () => undefined);
  await reader.connect();
  await reader.query(`begin isolation level repeatable read; select from ${table} limit 1`);
  return reader;
}

const waitingFor = (text: string) => `select pid, query_start::text as start from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query ilike '%${text}%'`;

test('servers of two versions serve a store while one migrates it behind an export, and nothing acknowledged is lost', async () => {
  await using database = await emptyDatabase();
  const { connection } = database;
  await using present = startPresent(connection);
  const address = await present.ready();
  const old = await createTestApp(address, 'com.example.stored');
  const { packageName } = old;
  for (const productId of ['coins', 'monthly']) {
    await recordTestPurchase(address, old, { productId, purchaseId: productId });
  }
  const stored = await readStored(connection, packageName);
  const app = await createTestApp(address);
  const load = new AcknowledgedLoad(app, adminKey);
  let isOver = false;
  const running = load.run(address, () => isOver);
  await loaded(load);

  const reader = await beginRead(connection, 'purchase');
  await using newer = startNext(connection);
  const waits = new Set<string>();
  const seeWaits = async () => {
    for (const { start } of await query(connection, waitingFor('alter table'))) waits.add(start);
    return waits.size >= waitsMin;
  };
  await waitFor(seeWaits, { what: 'a migration that waits again' });
  await loaded(load);
  await reader.end();
  const newerAddress = await newer.ready();
  const newest = await query(connection, 'select name from schema_migration order by name desc limit 2');
  expect(newest.map(({ name }) => name)).toEqual(['9002_other_note', '9001_note']);

  const newerLoad = new AcknowledgedLoad(app, adminKey, 'N-');
  const newerRunning = newerLoad.run(newerAddress, () => isOver);
  await Promise.all([loaded(load), loaded(newerLoad)]);
  // The previous version restarts on the new schema.
  await using restarted = startPresent(connection);
  await load.expectAllThere(await restarted.ready());
  isOver = true;
  await Promise.all([running, newerRunning]);
  await newerLoad.expectAllThere(address);
  await load.expectAllThere(newerAddress);
  for (const server of [present, newer, restarted]) await stop(server);
  expect(await readStored(connection, packageName)).toEqual(stored);
});
