// A start refuses a database with the line that the doctor prints.

import type { ClientConfig } from 'pg';
import { expect, test } from 'vitest';
import { readStoreConfig } from '../../src/config/config.ts';
import { checkDatabase } from '../../src/program/doctor.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { databaseUrlOf } from '../database-url.ts';
import { query } from '../embedded/scratch.ts';
import { startTestServer } from '../harness.ts';
import { createOnPostgres, newName } from '../test-databases.ts';
import { problemOf } from './problem-of.ts';

const examined = async (connection: ClientConfig) =>
  await checkDatabase(readStoreConfig({ DATABASE_URL: databaseUrlOf(connection) }), systemClock);

/** The line with which a start on this database is refused. */
const refusalOn = (connection: ClientConfig) => problemOf(startTestServer({ database: { connection } }));

/** The same database for an account that owns no tables. */
async function asStranger(owner: AsyncDisposableStack, connection: ClientConfig): Promise<ClientConfig> {
  const user = newName();
  await query(connection, `create role ${user} login password 'stranger'`);
  owner.defer(async () => {
    await query(connection, `drop owned by ${user}`);
    await query(connection, `drop role ${user}`);
  });
  return { ...connection, user, password: 'stranger' };
}

test.each<[string, string, string, string]>([
  [
    'encoding SQL_ASCII',
    "encoding 'SQL_ASCII' locale_provider libc locale 'C'",
    'read committed',
    `The encoding of the database is SQL_ASCII, and UTF8 is needed: create another database with "create database ... template template0 encoding 'UTF8'".`,
  ],
  [
    'isolation level repeatable read',
    '',
    'repeatable read',
    'default_transaction_isolation is repeatable read, and read committed is needed: change it in DATABASE_URL, in PGOPTIONS, for the role or for the database.',
  ],
])(
  'doctor rejects a database with the %s, and a start does not change it',
  async (_, how, isolation, line) => {
    await using owner = new AsyncDisposableStack();
    const { connection } = owner.use(await createOnPostgres(`template template0 ${how}`));
    const { database } = connection;
    await query(connection, `alter database ${database} set default_transaction_isolation = '${isolation}'`);
    const result = { name: 'database settings', verdict: 'failed', detail: line };
    expect(await examined(connection)).toContainEqual(result);
    expect(await refusalOn(connection)).toBe(line);
    expect(await query(connection, `select from pg_tables where schemaname = 'public'`)).toEqual([]);
  },
);

test('doctor rejects an empty database whose account may not create tables', async () => {
  await using owner = new AsyncDisposableStack();
  const empty = owner.use(await createOnPostgres('template template0'));
  const connection = await asStranger(owner, empty.connection);
  const detail =
    'The schema needs migrations, but this account may not create tables: run opentill database migrate with an account that may.';
  expect(await examined(connection)).toContainEqual({ name: 'schema', verdict: 'failed', detail });
  expect(await refusalOn(connection)).toBe(detail);
});
