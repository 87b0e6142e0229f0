// Databases that sort by a library, which an update of the system may replace.

import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { expect, test } from 'vitest';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import { createTestApp, startTestServer } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { createOnPostgres } from '../../../../test/support/test-databases.ts';
import { readStoreConfig } from '../../src/config/config.ts';
import { checkDatabase } from '../../src/program/commands/doctor.ts';
import { systemClock } from '../../src/runtime/clock.ts';

const withIcu = () => createOnPostgres("template template0 locale_provider icu icu_locale 'en-US'");

/** A mix of cases and punctuation, by which libraries sort in different ways. */
const orderIds = Array.from(
  { length: 100 },
  (_, n) => `${['a', 'B', 'c-', '_D', '.e'][n % 5]}${(n * 37) % 100}-${n % 2 === 0 ? 'x' : 'Y'}`,
);

test('orders are recorded once each, also after the library of the database has changed its order', async () => {
  await using database = await withIcu();
  const packageName = 'com.example.game';
  const record = async () => {
    await using server = await startTestServer({ database });
    await createTestApp(server, packageName).catch(() => undefined);
    const recorded = orderIds.map((orderId) =>
      callOperator(server, recordPurchase, { path: { packageName }, body: { productId: 'coins', orderId } }),
    );
    return [...new Set((await Promise.all(recorded)).map(({ status }) => status))];
  };
  expect(await record()).toEqual([201]);
  await query(
    database.connection,
    "update pg_database set datlocale = 'en-US-u-ka-shifted-kf-upper' where datname = current_database()",
  );
  expect(await record()).toEqual([200]);
});

test('counters are locked in the order of bytes, whatever the order of the database', async () => {
  await using database = await withIcu();
  await using server = await startTestServer({ database });
  for (const packageName of ['com.a_b', 'com.B']) await createTestApp(server, packageName);
  const [counted] = await query(
    database.connection,
    "select apps, 'com.a_b' < 'com.B' as differs from count_events_v1(array['com.a_b', 'com.B'])",
  );
  expect(counted).toEqual({ apps: ['com.B', 'com.a_b'], differs: true });
});

test('doctor and a start name a collation whose recorded version is not that of its library', async () => {
  await using database = await withIcu();
  const { connection } = database;
  const [versions] = await query(
    connection,
    `update pg_database set datcollversion = '1.0' where datname = current_database()
      returning pg_database_collation_actual_version(oid) as actual`,
  );
  const detail = `The collation of the database was recorded with version 1.0, but its library has version ${versions?.['actual']}: OpenTill's indexes are not affected; rebuild other indexes of text, if there are any, and run "alter database ... refresh collation version".`;
  const settings = readStoreConfig({ DATABASE_URL: databaseUrlOf(connection) });
  expect(await checkDatabase(settings, systemClock)).toContainEqual({
    name: 'database settings',
    verdict: 'warning',
    detail,
  });
  const logLines: string[] = [];
  await using _server = await startTestServer({ database, logLines });
  expect(logLines.map((line) => JSON.parse(line).msg)).toContain(detail);
});
