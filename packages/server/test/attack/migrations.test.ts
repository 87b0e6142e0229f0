import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate, ownSchemaVersion } from '../../src/store/connection/migrate.ts';
import { query } from '../embedded/scratch.ts';
import {
  createTestApp,
  databaseEnv,
  emptyDatabase,
  recordTestPurchase,
  startTestServer,
  type TestDatabase,
} from '../harness.ts';
import { refusedStart, startOpentill } from '../start/opentill-process.ts';
import { DatabaseProxy } from './database-proxy.ts';

const tables = `select count(*)::int as tables from pg_tables where schemaname = 'public'`;
const applied = 'select count(*)::int as migrations from schema_migration';

const folder = new URL('../../src/store/migrations/', import.meta.url);
const ownMigrations = (await readdir(folder)).length;

let database: TestDatabase;
let connection: ClientConfig;
let proxy: DatabaseProxy;

beforeEach(async () => {
  database = await emptyDatabase();
  ({ connection } = database);
  proxy = await DatabaseProxy.start(connection);
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const env = () => databaseEnv(proxy.connection);

async function expectServing(): Promise<void> {
  await using server = await startTestServer({ database });
  const app = await createTestApp(server, `com.example.${randomBytes(4).toString('hex')}`);
  expect((await recordTestPurchase(server, app)).purchaseState).toBe(0);
}

test('servers that start at once on an empty database migrate it once, and all serve', async () => {
  const starts = Array.from({ length: 6 }, () => startTestServer({ database }));
  const servers = await Promise.all(starts);
  try {
    const [row] = await query(connection, applied);
    expect(row?.['migrations']).toBe(ownMigrations);
    const installations = await query(connection, 'select count(*)::int as rows from installation');
    expect(installations).toEqual([{ rows: 1 }]);
    const [first, ...others] = servers;
    const app = await createTestApp(first ?? expect.fail());
    for (const server of others) await recordTestPurchase(server, app);
  } finally {
    for (const server of servers) await server.stop();
  }
});

describe('a database that a newer server has migrated', () => {
  test('an older server serves a database that a newer one has migrated, and does not change it', async () => {
    await migrate(connection);
    await query(connection, `insert into schema_migration (name) values ('9999_of_a_newer_server')`);
    await query(connection, 'alter table purchase add column of_a_newer_server text');
    await expectServing();
    const names = await query(connection, 'select name from schema_migration order by name');
    expect(names.at(-1)).toEqual({ name: '9999_of_a_newer_server' });
    expect(names).toHaveLength(ownMigrations + 1);
  });

  test('an older server refuses a database with a breaking migration in one line and changes nothing', async () => {
    await expectServing();
    const breaking = (await ownSchemaVersion()) + 1;
    await query(connection, `update installation set oldest_compatible_schema = ${breaking}`);
    const refusal = await refusedStart({ env: env() });
    expect(refusal.code).toBe(1);
    expect(refusal.stderr).toMatch(/^The schema of this database needs a newer server: .*\n$/);
    expect(await query(connection, 'select count(*)::int as rows from purchase')).toEqual([{ rows: 1 }]);
  });
});

/** The statements of a starting server that migrates the database, in order. */
const crashPoints = [
  'advisory',
  'begin\0',
  'create table installation',
  'insert_migration',
  'commit\0',
  'insert_installation',
];

describe('interrupted migrations', () => {
  test.each(crashPoints)(
    'a server killed at %s leaves all of a migration or nothing, and the next start works',
    async (text) => {
      await using server = startOpentill({ env: env() });
      let wasMet = false;
      proxy.onStatement((bytes) => {
        if (wasMet || !bytes.includes(text)) return;
        wasMet = true;
        server.signal('SIGKILL');
      });
      expect(await server.ended()).toBeNull();
      expect(wasMet).toBe(true);
      await expectAllOrNothing();
      await expectServing();
    },
  );

  test.each(crashPoints)(
    'a connection lost at %s is reported in one line, leaves all of a migration or nothing, and the next start works',
    async (text) => {
      proxy.loseAnswerTo(text);
      const { code, stderr } = await refusedStart({ env: env() });
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(code).toBe(1);
      await expectAllOrNothing();
      await expectServing();
    },
  );
});

/** A database has no tables, or all of a migration that it lists. */
async function expectAllOrNothing(): Promise<void> {
  const [found] = await query(connection, tables);
  if (found?.['tables'] > 0)
    expect(await query(connection, applied)).toEqual([{ migrations: ownMigrations }]);
}
