// Servers that start at once on an empty database, are killed during its migration, or lose their connection.

import { readdir } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestApp,
  databaseEnv,
  emptyDatabase,
  newTestApp,
  recordTestPurchase,
  requestToken,
  startTestServer,
  type TestDatabase,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { DatabaseProxy } from '../../../../test/support/store/database-proxy.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';

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

async function expectServing(): Promise<void> {
  await using server = await startTestServer({ database });
  const app = await newTestApp(server);
  expect((await recordTestPurchase(server, app)).purchaseState).toBe(0);
}

test('servers that start at once on an empty database migrate it once, and all serve', async () => {
  const starts = Array.from({ length: 6 }, () => startTestServer({ database }));
  const servers = await Promise.all(starts);
  await using stack = new AsyncDisposableStack();
  for (const server of servers) stack.use(server);
  expect(await query(connection, applied)).toEqual([{ migrations: ownMigrations }]);
  const installations = await query(connection, 'select count(*)::int as rows from installation');
  expect(installations).toEqual([{ rows: 1 }]);
  const [first, ...others] = servers;
  const app = await createTestApp(first ?? expect.fail());
  for (const server of others) await recordTestPurchase(server, app);
  const tokens = await Promise.all(servers.map((server) => requestToken(server, app)));
  expect(new Set(tokens.map(({ body }) => body.access_token))).toEqual(new Set([app.token]));
});

/** The statements of a starting server that migrates the database, in order. */
const crashPoints = [
  'advisory',
  'begin\0',
  'create table installation',
  'insert into schema_migration',
  'commit\0',
  'insert_installation',
];

describe('interrupted migrations', () => {
  test.each(crashPoints)(
    'a server killed at %s leaves all of a migration or nothing, and the next start works',
    async (text) => {
      await using server = startOpentill({ env: databaseEnv(proxy.connection) });
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
      proxy.loseResponseTo(text);
      const starting = startTestServer({ database: { connection: proxy.connection } });
      await expect(starting).rejects.toThrow(StartProblem);
      await expect(starting).rejects.toThrow(/^[^\n]+$/);
      await expectAllOrNothing();
      await expectServing();
    },
  );
});

/** A database has no tables, or lists the first migration; the next start would fail on half of a later one. */
async function expectAllOrNothing(): Promise<void> {
  const [found] = await query(connection, tables);
  if (found?.['tables'] > 0) expect((await query(connection, applied))[0]?.['migrations']).toBeGreaterThan(0);
}
