// A start refuses a database with the line that the doctor prints.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ClientConfig } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import { freshDatabase, startTestServer } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { testCertificate } from '../../../../test/support/start/test-certificate.ts';
import { createOnPostgres, newName } from '../../../../test/support/test-databases.ts';
import { exportText } from '../../../../test/support/transfer/lines.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { readStoreConfig } from '../../src/config/config.ts';
import { databaseStatus, migrateDatabase } from '../../src/program/commands/database.ts';
import { checkDatabase } from '../../src/program/commands/doctor.ts';
import { systemClock } from '../../src/runtime/clock.ts';
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

test('doctor rejects a database with the encoding SQL_ASCII, and a start does not change it', async () => {
  await using database = await createOnPostgres(
    "template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'",
  );
  const { connection } = database;
  const detail = `The encoding of the database is SQL_ASCII, and UTF8 is needed: create another database with "create database ... template template0 encoding 'UTF8'".`;
  expect(await examined(connection)).toContainEqual({ name: 'database settings', verdict: 'failed', detail });
  expect(await refusalOn(connection)).toBe(detail);
  expect(await query(connection, `select from pg_tables where schemaname = 'public'`)).toEqual([]);
});

test('doctor names sslrootcert for a certificate of an unknown authority', async () => {
  const server = createServer((socket) => {
    // The response to a request for TLS.
    socket.once('data', () => {
      socket.write('S');
      const own = new TLSSocket(socket, { isServer: true, ...testCertificate });
      own.on('error', () => undefined);
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const DATABASE_URL = `postgresql://till:secret@127.0.0.1:${port}/till?sslmode=verify-full`;
  expect(await checkDatabase(readStoreConfig({ DATABASE_URL }), systemClock)).toEqual([
    {
      name: 'database',
      verdict: 'failed',
      detail:
        'Cannot connect to the database: self-signed certificate: add sslrootcert=<file of its authority> to DATABASE_URL',
    },
  ]);
});

test('doctor rejects an empty database whose account may not create tables', async () => {
  await using owner = new AsyncDisposableStack();
  const empty = owner.use(await createOnPostgres('template template0'));
  const connection = await asStranger(owner, empty.connection);
  const detail =
    'The schema needs migrations, but this account may not create tables: run opentill database migrate with an account that may.';
  expect(await examined(connection)).toContainEqual({ name: 'schema', verdict: 'failed', detail });
  expect(await refusalOn(connection)).toBe(detail);
});

test.each([
  ['with an edited migration', `update schema_migration set hash = 'another'`],
  ['from before there were hashes', 'alter table schema_migration drop column hash'],
])('a database %s is refused in one line by a start, the doctor and every command', async (_, change) => {
  await using database = await freshDatabase();
  const { connection } = database;
  // Tables of another build may lack what a statement names.
  await query(connection, `${change}; alter table installation rename environment to other`);
  const detail =
    'The schema of this database was created by another build of OpenTill, whose migration 0001_baseline differs: use that build, or an empty database.';
  const env = { DATABASE_URL: databaseUrlOf(connection) };
  expect(await examined(connection)).toEqual([{ name: 'database', verdict: 'failed', detail }]);
  expect(await refusalOn(connection)).toBe(detail);
  expect(await problemOf(databaseStatus(env))).toBe(detail);
  expect(await problemOf(migrateDatabase(env))).toBe(detail);
  expect(await problemOf(exported(connection))).toBe(detail);
  expect(await problemOf(imported(connection, exportText([])))).toBe(detail);
});
