// The schema of a store is determined by the search_path of its connection.

import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  startTestServer,
  type TestDatabase,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';

/** A database with a store in the schema public. */
let database: TestDatabase;

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

/** The schemas with a table of purchases, and how many rows each has. */
async function purchasesBySchema(): Promise<Record<string, number>> {
  const tables = `select schemaname as schema from pg_tables where tablename = 'purchase' order by 1`;
  const found = await query(database.connection, tables);
  const counted = found.map(async ({ schema }) => {
    const [row] = await query(database.connection, `select count(*)::int as rows from ${schema}.purchase`);
    return [schema, row.rows] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

async function recordOne(searchPath: string): Promise<void> {
  const connection = { ...database.connection, options: `-c search_path=${searchPath}` };
  await using server = await startTestServer({ database: { connection } });
  await recordTestPurchase(server, await createTestApp(server));
}

test('a new schema gets all tables of a store, even if the public schema has a store', async () => {
  await query(database.connection, 'create schema own');
  await recordOne('own');
  expect(await purchasesBySchema()).toEqual({ own: 1, public: 0 });
});

test('an existing store stays in its schema when an empty schema precedes it in the search_path', async () => {
  await query(database.connection, 'create schema empty');
  await recordOne('empty,public');
  expect(await purchasesBySchema()).toEqual({ public: 1 });
});
