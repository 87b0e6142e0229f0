// What a role, a database or a pooler in front can set works, or is refused by doctor and a start in the same words.

import { getStatistics } from '@opentill/contract/operator-api/getStatistics.ts';
import type { ClientConfig } from 'pg';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import {
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  startTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { createOnPostgres, newName } from '../../../../test/support/test-databases.ts';
import { readStoreConfig } from '../../src/config/config.ts';
import { migrateDatabase } from '../../src/program/commands/database.ts';
import { checkDatabase } from '../../src/program/commands/doctor.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Session } from '../../src/store/connection/session.ts';
import { statement } from '../../src/store/statements/statement.ts';
import { readClock, setClock } from '../app-clock/clock-calls.ts';
import { problemOf } from './problem-of.ts';
import { startPooler } from './test-pooler.ts';

const envOf = (connection: ClientConfig) => ({ DATABASE_URL: databaseUrlOf(connection) });

/** The problems that doctor finds, and the line with which a start is refused. */
async function refusalsOf(connection: ClientConfig) {
  const results = await checkDatabase(readStoreConfig(envOf(connection)), systemClock);
  const problems = results.filter(({ verdict }) => verdict === 'failed').map(({ detail }) => detail);
  return { doctor: problems, start: await problemOf(startTestServer({ database: { connection } })) };
}

/** What changes the meaning of a statement or of its result, or ends one. */
const hostileSettings = {
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Seoul',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  client_encoding: 'LATIN1',
  exit_on_error: 'on',
  synchronous_commit: 'off',
  default_transaction_isolation: 'serializable',
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: '1min',
  lock_timeout: '1min',
  idle_in_transaction_session_timeout: '1min',
  transaction_timeout: '1min',
  idle_session_timeout: '1min',
};

const limitsOfSession = statement({
  name: 'test_limits_of_session',
  text: `select array_agg(name || '=' || setting order by name) as limits from pg_settings
    where name like '%timeout' and source = 'session'
      or name in ('default_transaction_isolation', 'synchronous_commit')`,
  row: Type.Object({ limits: Type.Array(Type.String()) }),
});

/** An account with a database of its own, for which nothing is set. */
async function ownDatabase(owner: AsyncDisposableStack, database: { readonly connection: ClientConfig }) {
  const role = newName();
  await query(database.connection, `create role ${role} login superuser password 'own'`);
  owner.defer(
    async () => void (await query(database.connection, `drop owned by ${role}; drop role ${role}`)),
  );
  return { ...database.connection, user: role, password: 'own' };
}

test.each(['role', 'database'] as const)(
  'a %s with other formats, isolation and timeouts has the store of any other',
  async (place) => {
    await using owner = new AsyncDisposableStack();
    const empty = owner.use(await createOnPostgres());
    const migrated = owner.use(await freshDatabase());
    for (const database of [empty, migrated]) {
      const connection = await ownDatabase(owner, database);
      const name = place === 'role' ? connection.user : connection.database;
      for (const [setting, value] of Object.entries(hostileSettings))
        await query(database.connection, `alter ${place} ${name} set ${setting} = '${value}'`);
      if (database === empty) expect(await migrateDatabase(envOf(connection))).not.toEqual([]);
      else await expectStore(connection);
    }
  },
);

async function expectStore(connection: ClientConfig): Promise<void> {
  await using server = await startTestServer({ database: { connection } });
  const app = await createTestApp(server);
  const payload = 'é, NULL, \\ and "';
  const sold = await recordTestPurchase(server, app, { orderId: 'NULL', developerPayload: payload });
  expect(sold).toMatchObject({ developerPayload: payload });
  expect(await recordTestPurchase(server, app)).not.toHaveProperty('orderId');
  await setClock(server, app, { mode: 'running', rate: 1.123456789 });
  expect(await readClock(server, app)).toMatchObject({ rate: 1.123456789 });
  const days = { from: '2026-03-01', to: '2026-03-31' };
  expect((await callOperator(server, getStatistics, { query: days })).status).toBe(200);
  await using session = await Session.open(connection);
  expect((await session.rows(limitsOfSession, []))[0]?.limits).toEqual([
    'default_transaction_isolation=read committed',
    'idle_in_transaction_session_timeout=0',
    'idle_session_timeout=0',
    'lock_timeout=0',
    'statement_timeout=0',
    'synchronous_commit=on',
    'transaction_timeout=0',
  ]);
  await using pool = openDatabase(connection, 1, { patience: 1 });
  expect((await pool.rows(limitsOfSession, []))[0]?.limits).toEqual([
    'default_transaction_isolation=read committed',
    'idle_in_transaction_session_timeout=3000',
    'idle_session_timeout=0',
    'lock_timeout=1000',
    'statement_timeout=1500',
    'synchronous_commit=on',
    'transaction_timeout=0',
  ]);
}

test.each([
  [
    "default_transaction_read_only = 'on'",
    'default_transaction_read_only is on, so that nothing can be stored: turn it off for the role, the database or PostgreSQL.',
  ],
  [
    'search_path = pg_temp, public',
    'The search_path of the database is pg_temp, public, but this role can create no tables there: create the schema, or change the setting in DATABASE_URL, PGOPTIONS, the role or the database.',
  ],
  [
    'search_path = nowhere',
    'The search_path of the database is nowhere, but this role can create no tables there: create the schema, or change the setting in DATABASE_URL, PGOPTIONS, the role or the database.',
  ],
])('a role with %s is refused by doctor and a start in the same words', async (setting, line) => {
  await using owner = new AsyncDisposableStack();
  const database = owner.use(await createOnPostgres());
  const connection = await ownDatabase(owner, database);
  await query(database.connection, `alter role ${connection.user} set ${setting}`);
  expect(await refusalsOf(connection)).toEqual({ doctor: [line], start: line });
});

const shared =
  'The pooler in front of the database shares its connections among sessions: set it to session pooling, or use the address of PostgreSQL.';

test.each([
  ['transaction', 'newest'],
  ['transaction', 'oldest'],
  ['statement', 'newest'],
] as const)(
  'a pooler that lends a %s its %s free connection is refused, and its connections stay as they were',
  async (mode, takes) => {
    await using owner = new AsyncDisposableStack();
    const database = owner.use(await createOnPostgres());
    const pooler = owner.use(await startPooler(database.connection, mode, takes));
    expect(await refusalsOf(pooler.connection)).toEqual({ doctor: [shared], start: shared });
    expect(await query(pooler.connection, `select from pg_settings where source = 'session'`)).toEqual([]);
  },
);

test('servers work behind a pooler that lends its connections for a session, as the one before has left them', async () => {
  await using database = await freshDatabase();
  await using pooler = await startPooler(database.connection, 'session');
  const first = await startTestServer({ database: pooler });
  const app = await createTestApp(first);
  await first.stop();
  await using server = await startTestServer({ database: pooler });
  const sold = Array.from({ length: 20 }, () => recordTestPurchase(server, app));
  expect(new Set((await Promise.all(sold)).map(({ purchaseId }) => purchaseId)).size).toBe(20);
});
