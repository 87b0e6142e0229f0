// Lists the migrations of this version and those of a database, and runs the missing ones
// (docs/decisions/database.md).

import { readdir, readFile } from 'node:fs/promises';
import { Client, type ClientConfig } from 'pg';
import Type from 'typebox';
import { pause } from '../../runtime/pause.ts';
import { StartProblem, unpreparedDatabase } from '../../runtime/start-problem.ts';
import { findCluster } from './cluster.ts';
import type { Queryable } from './database.ts';
import { databaseFailure, LockNotAvailable } from './database-failure.ts';
import { distributeTables } from './distribute.ts';
import { queryableOn } from './session.ts';
import { NoRow, statement } from './statement.ts';
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

/** After this time, the connection of a statement in a transaction is considered lost, in ms. */
const migrationStatementMs = 600_000;

/** The same outside a transaction, where a statement builds the index of a large table, in ms. */
const indexBuildMs = 86_400_000;

/** The first line of a migration whose statements run one by one, each without a transaction. */
const withoutTransaction = /^-- Without transaction\b/;

/** Such a migration has a semicolon at the end of each statement's last line. */
const endOfStatement = /;\s*$/m;

// Served by an index of the catalog.
const isTableThere = statement({
  name: 'is_migrations_table_there',
  text: `select to_regclass('${migrationsTable}') is not null as "isThere"`,
  row: Type.Object({ isThere: Type.Boolean() }),
});

// Reads the whole table, which has a row for each migration.
const selectMigrations = statement({
  name: 'select_migrations',
  text: `select name from ${migrationsTable} order by name`,
  row: Type.Object({ name: Type.String() }),
});

const insertMigration = statement({
  name: 'insert_migration',
  text: `insert into ${migrationsTable} (name) values ($1)`,
  row: NoRow,
});

// Reads the catalog.
const useStoreSchema = statement({
  name: 'use_store_schema',
  text: `select from set_config('search_path', quote_ident(${storeSchemaSql}), false)`,
  row: NoRow,
});

/** The names of the migrations that have run, in order. */
export async function listMigrations(queryable: Queryable): Promise<string[]> {
  const [table] = await queryable.rows(isTableThere, []);
  if (table?.isThere !== true) return [];
  return (await queryable.rows(selectMigrations, [])).map(({ name }) => name);
}

/** The number with which the name of a migration starts. */
export function numberOfMigration(name: string): number {
  return Number.parseInt(name, 10);
}

/** The names of the migrations of this version, in order. */
async function listOwnMigrations(): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .sort();
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
 * Runs the missing migrations and returns their names. On a cluster, only its coordinator changes the schema. Concurrent
 * servers wait for each other. Migrations of a newer server stay: they work with the version before them unless
 * `requireInstallation` rejects the database.
 */
export async function migrate(connection: ClientConfig): Promise<string[]> {
  const done: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runMissing(connection, (name) => done.push(name));
      return done;
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

async function runMissing(connection: ClientConfig, onDone: (name: string) => void): Promise<void> {
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
    // A server that has nothing to migrate also starts while another one builds an index.
    if ((await readSchemaState(queryable)).missing.length === 0) return;
    if (!(await tryLockSchema(queryable))) throw new LockNotAvailable('Another migration is running.');
    if ((await findCluster(queryable))?.isCoordinator === false) return;
    await queryable.rows(useStoreSchema, []);
    for (const name of (await readSchemaState(queryable)).missing) {
      await runMigration(client, name);
      onDone(name);
    }
  } finally {
    await client.end();
  }
}

/** Runs one migration, in a transaction unless its first line says otherwise. The end of the connection rolls it back. */
async function runMigration(client: Client, name: string): Promise<void> {
  const queryable = queryableOn(client);
  const text = await readFile(new URL(`${name}.sql`, migrationsFolder), 'utf8');
  if (withoutTransaction.test(text)) {
    // Building an index waits for older transactions, and nobody waits for it in the meantime.
    await client.query('set lock_timeout = 0');
    for (const one of text.split(endOfStatement)) {
      const build = { text: one, query_timeout: indexBuildMs };
      await client.query(build);
    }
    await client.query('reset lock_timeout');
    await queryable.rows(insertMigration, [name]);
    return;
  }
  await client.query('begin');
  const cluster = await findCluster(queryable);
  // Within one transaction, Citus allows a change of all shards before one of a reference table only in this mode.
  if (cluster !== undefined) await client.query("set local citus.multi_shard_modify_mode = 'sequential'");
  await client.query(text);
  if (cluster !== undefined && cluster.shards > 0) await distributeNewTables(queryable);
  await queryable.rows(insertMigration, [name]);
  await client.query('commit');
}

async function distributeNewTables(queryable: Queryable): Promise<void> {
  const cluster = await findCluster(queryable);
  if (cluster !== undefined) await distributeTables(queryable, { ...cluster, distributed: [] });
}
