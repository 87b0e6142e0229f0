// Lists the migrations of this version and those of a database, and runs the missing ones.

import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { Client, type ClientConfig } from 'pg';
import Type from 'typebox';
import { pause } from '../../runtime/pause.ts';
import { StartProblem, unpreparedDatabase } from '../../runtime/start-problem.ts';
import { findCluster } from './cluster.ts';
import type { Queryable } from './database.ts';
import { databaseFailure, LockNotAvailable } from './database-failure.ts';
import { distributeTables } from './distribute.ts';
import { queryableOn } from './session.ts';
import { statement } from './statement.ts';
import { migrationsTable, storeSchemaSql, tryLockSchema } from './store-schema.ts';

const migrationsFolder = new URL('../migrations/', import.meta.url);

/**
 * How long a migration waits for a lock, in ms: statements of running servers queue behind the lock of a table while it
 * waits behind a longer transaction such as an export.
 */
const migrationLockWaitMs = 500;

/** The pause before the next attempt, in ms, in which running servers answer what has queued. */
const migrationPauseMs = 1_000;

/** A start waits about a minute for a lock: of a table, or of a migration that another server runs. */
const migrationAttemptsMax = 40;

/** How long a connection attempt may take, in ms. */
const connectMs = 5_000;

/** A statement of a migration may build an index; after this time, the connection is considered lost, in ms. */
const migrationStatementMs = 600_000;

/** The first migration of the unreleased versions, whose schema later migrations do not continue. */
const unreleasedMigration = '0001_ledger';

// Served by an index of the catalog.
const isTableThere = statement({
  name: 'is_migrations_table_there',
  text: `select to_regclass('${migrationsTable}') is not null as "isThere"`,
  row: Type.Object({ isThere: Type.Boolean() }),
});

// Reads the whole table, which has a row for each migration.
const selectMigrations = statement({
  name: 'select_migrations',
  text: `select name from ${migrationsTable} order by id`,
  row: Type.Object({ name: Type.String() }),
});

/** The names of the migrations that have run, in order. */
export async function listMigrations(queryable: Queryable): Promise<string[]> {
  const [table] = await queryable.rows(isTableThere, []);
  if (table?.isThere !== true) return [];
  return (await queryable.rows(selectMigrations, [])).map(({ name }) => name);
}

/** @throws StartProblem for a database of an unreleased version. */
export async function refuseUnreleasedSchema(queryable: Queryable): Promise<void> {
  if (!(await listMigrations(queryable)).includes(unreleasedMigration)) return;
  throw new StartProblem(
    'This database was made by an earlier version of OpenTill: export it with that version (`opentill export`), move the data folder away or use an empty database, start this version, and import the export (`opentill import`).',
  );
}

/** The number with which the name of a migration starts. */
export function numberOfMigration(name: string): number {
  return Number.parseInt(name, 10);
}

/** The names of the migrations of this version, in order. */
async function listOwnMigrations(): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  const names = files.filter((file) => file.endsWith('.sql')).map((file) => file.replace(/\.sql$/, ''));
  return names.sort((left, right) => numberOfMigration(left) - numberOfMigration(right));
}

/** The number of the newest migration of this version. */
export async function ownSchemaVersion(): Promise<number> {
  return numberOfMigration((await listOwnMigrations()).at(-1) ?? '');
}

export interface SchemaState {
  /** The names of the migrations that have run, in order. */
  readonly migrations: readonly string[];
  /** Migrations of this version that have not run. */
  readonly missing: readonly string[];
  /** Migrations of a newer version that have run. */
  readonly newer: readonly string[];
}

export async function readSchemaState(queryable: Queryable): Promise<SchemaState> {
  const [own, migrations] = [await listOwnMigrations(), await listMigrations(queryable)];
  return {
    migrations,
    missing: own.filter((name) => !migrations.includes(name)),
    newer: migrations.filter((name) => !own.includes(name)),
  };
}

/**
 * Runs the missing migrations and returns their names. On a cluster, only its coordinator changes the schema, and new
 * tables are distributed like the others. Concurrent servers wait for each other. Migrations of a newer server stay: they
 * work with the version before them unless `requireInstallation` rejects the database.
 */
export async function migrate(connection: ClientConfig): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runMissing(connection);
    } catch (error) {
      if (!(databaseFailure(error) instanceof LockNotAvailable)) throw unpreparedDatabase(error);
      if (attempt === migrationAttemptsMax) {
        throw new StartProblem(
          'The schema of this database could not be changed: another migration, or a long transaction such as an export, is using its tables. Try again when it has ended.',
          { cause: error },
        );
      }
      await pause(migrationPauseMs);
    }
  }
}

async function runMissing(connection: ClientConfig): Promise<string[]> {
  const client = new Client({
    ...connection,
    connectionTimeoutMillis: connectMs,
    lock_timeout: migrationLockWaitMs,
    query_timeout: migrationStatementMs,
    keepAlive: true,
  });
  // A connection that breaks fails the statement that runs on it; it must not also end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const queryable = queryableOn(client);
    if (!(await tryLockSchema(queryable))) throw new LockNotAvailable('Another migration is running.');
    const cluster = await findCluster(queryable);
    if (cluster?.isCoordinator === false) return [];
    const { rows } = await client.query<{ schema: string }>(`select ${storeSchemaSql} as schema`);
    const migrations = await runner({
      schema: rows.map(({ schema }) => schema),
      dbClient: client,
      dir: fileURLToPath(migrationsFolder),
      direction: 'up',
      migrationsTable,
      noLock: true,
      singleTransaction: true,
      log: () => undefined,
    });
    const changed = migrations.length > 0 ? await findCluster(queryable) : undefined;
    if (changed !== undefined && changed.shards > 0) await distributeTables(queryable, changed);
    return migrations.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
