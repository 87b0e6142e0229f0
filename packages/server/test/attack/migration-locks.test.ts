// A migration of a store whose tables are in use.

import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { migrate, numberOfMigration, ownSchemaVersion } from '../../src/store/connection/migrate.ts';
import { migrationsTable } from '../../src/store/connection/store-schema.ts';
import { query } from '../embedded/scratch.ts';
import { emptyDatabase, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';

const baseline = new URL('../../src/store/migrations/0001_baseline.sql', import.meta.url);

/** What a server allows a statement (docs/operating.md). */
const statementMs = 1_500;

/** The migration has tried again by then. */
const waitsMin = 2;

test('a migration behind an export does not block the store, and is applied when the export has ended', async () => {
  const { connection } = await useForFile(emptyDatabase());
  await query(connection, await readFile(baseline, 'utf8'));
  await query(
    connection,
    `create table ${migrationsTable} (id serial primary key, name text not null, run_on timestamp not null);
    insert into ${migrationsTable} (name, run_on) values ('0001_baseline', now())`,
  );
  const listed = await query(
    connection,
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const tables = listed.map(({ name }) => name as string).filter((name) => name !== migrationsTable);

  const reader = new Client(connection);
  await reader.connect();
  await reader.query('begin');
  for (const table of tables) await reader.query(`lock table ${table} in access share mode`);

  const migrating = migrate(connection);
  const waiting = `select pid::text || ' ' || query_start::text as wait from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ilike '%alter table%'`;
  const waits = new Set<string>();
  await waitFor(
    async () => {
      for (const row of await query(connection, waiting)) waits.add(row.wait);
      for (const table of tables) {
        await query({ ...connection, statement_timeout: statementMs }, `select from ${table} limit 1`);
      }
      return waits.size >= waitsMin;
    },
    { deadlineMs: 20_000, what: 'a migration that waits again' },
  );
  await reader.end();
  expect(numberOfMigration((await migrating).at(-1) ?? '')).toBe(await ownSchemaVersion());
});
