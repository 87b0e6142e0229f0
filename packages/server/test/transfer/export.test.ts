// The content of an export, and its consistency.

import { expect, test } from 'vitest';
import { freshDatabase, type TestDatabase, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { appLine, exportText, productLine, purchaseLine } from '../../../../test/support/transfer/lines.ts';
import { exported, imported, testAuthor } from '../../../../test/support/transfer/transfer.ts';
import { exportStore } from '../../src/operations/transfer/export-store.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';
import { transferKinds } from '../../src/store/transfer/kinds.ts';

const database = await useForFile(freshDatabase());

/** Columns that are not exported: leases, tries without an answer and the clock mark of running servers, and what an import or PostgreSQL computes. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  app_counter: ['action_order', 'counted_order', 'reset_order', 'recount_from'],
  operator_action: ['is_imported'],
  purchase: ['is_imported'],
  event: ['is_imported'],
  subscription: ['due_time'],
  renewal_attempt: ['lease_holder', 'lease_until', 'unanswered_since', 'unanswered_reason'],
  app_clock: ['lease_holder', 'lease_until'],
  clock_mark: ['database_time'],
  webhook: ['lease_holder', 'lease_until', 'served_at'],
};

test('an export contains every column of every table except leases, computed columns, statistics and the request log', async () => {
  const rows = await query(
    database.connection,
    `select table_name, column_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ('installation', 'schema_migration',
        'statistic_day', 'request_log') and column_name <> 'package_name'
      order by table_name, column_name`,
  );
  const inDatabase = rows.map((row) => `${row['table_name']}.${row['column_name']}`);
  const moved = transferKinds.flatMap(({ tables }) =>
    tables.flatMap(({ table, columns }) => Object.values(columns).map(({ column }) => `${table}.${column}`)),
  );
  const known = Object.entries(leftOut).flatMap(([table, columns]) =>
    columns.map((column) => `${table}.${column}`),
  );
  expect([...moved, ...known].sort()).toEqual(inDatabase.sort());
});

test('due_time of a subscription is the only generated column', async () => {
  const generated = await query(
    database.connection,
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and is_generated <> 'NEVER'`,
  );
  expect(generated).toEqual([{ name: 'subscription.due_time' }]);
});

test('what changes during an export is not in it', async () => {
  await using own = await freshDatabase();
  const { connection } = own;
  const lines = [appLine('com.a', 1), productLine('com.a', 'coins'), purchaseLine('com.a', 'p-1')];
  await imported(connection, exportText(lines));
  const before = await exported(connection, ['com.a']);
  const pieces: Buffer[] = [];
  for await (const piece of exportStore({ connection, packageNames: ['com.a'], author: testAuthor })) {
    if (pieces.length === 0) {
      await imported(connection, exportText([appLine('com.b', 2)]));
      await query(
        connection,
        "update purchase set consumed_time = purchase_time where package_name = 'com.a'",
      );
    }
    pieces.push(piece);
  }
  expect(Buffer.concat(pieces).toString()).toBe(before);
  expect(await exported(connection, ['com.a'])).not.toBe(before);
});

test('an export that is not read to its end releases its database connection', async () => {
  await using own = await freshDatabase();
  await imported(own.connection, exportText([appLine('com.a', 1)]));
  for await (const _ of exportStore({ connection: own.connection, author: testAuthor })) break;
  const open = await query(
    own.connection,
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and application_name not like 'citus_internal%'`,
  );
  expect(open).toEqual([]);
});

const refusal = async (connection: TestDatabase['connection'], packageNames?: readonly string[]) => {
  const refused = exported(connection, packageNames);
  await expect(refused).rejects.toBeInstanceOf(StartProblem);
  return refused.catch(({ message }: Error) => message);
};

test('an export of an empty database, or of one with another schema version, fails', async () => {
  await using own = await freshDatabase();
  const { connection } = own;
  expect(await refusal(connection)).toMatch(/^There is nothing to read/);
  await imported(connection, exportText([]));
  await query(connection, "insert into schema_migration (name, hash) values ('9999_later', '')");
  expect(await refusal(connection)).toMatch(/^The schema of this database is newer/);
  await query(connection, 'delete from schema_migration');
  expect(await refusal(connection)).toMatch(/run `opentill database migrate` first/);
});
