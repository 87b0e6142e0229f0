// Brings the schema of a database up to this server's, once, however many servers start at the same time.

import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { Client, type ClientConfig } from 'pg';
import { unpreparedDatabase } from '../../runtime/start-problem.ts';
import { migrationsTable, numberOfMigration, storeSchemaSql } from './schema-version.ts';

const migrationsFolder = new URL('../migrations/', import.meta.url);

/** How long a start waits for a migration that another server runs, in ms. */
const migrationLockWaitMs = 60_000;

/** A network that is dead at the start is noticed within this time, in ms. */
const connectMs = 5_000;

/** A statement of a migration may build an index; after this time the network is taken for dead, in ms. */
const migrationStatementMs = 600_000;

/** The names of the migrations that this server brings along, in their order. */
export async function listOwnMigrations(): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  const names = files.filter((file) => file.endsWith('.sql')).map((file) => file.replace(/\.sql$/, ''));
  return names.sort((left, right) => numberOfMigration(left) - numberOfMigration(right));
}

/** The number of the newest of them. */
export async function ownSchemaVersion(): Promise<number> {
  return numberOfMigration((await listOwnMigrations()).at(-1) ?? '');
}

/**
 * Runs the missing migrations and returns their names. Concurrent servers wait for each other. Migrations of a newer
 * server stay: they work with the version before them unless `requireInstallation` rejects the database.
 */
export async function migrate(connection: ClientConfig): Promise<string[]> {
  try {
    return await runMissing(connection);
  } catch (error) {
    throw unpreparedDatabase(error);
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
  // A connection that breaks fails the statement that runs on it; it must not end the process besides.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ schema: string }>(`select ${storeSchemaSql} as schema`);
    const migrations = await runner({
      schema: rows.map(({ schema }) => schema),
      dbClient: client,
      dir: fileURLToPath(migrationsFolder),
      direction: 'up',
      migrationsTable,
      advisoryLockMode: 'wait',
      singleTransaction: true,
      log: () => undefined,
    });
    return migrations.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
