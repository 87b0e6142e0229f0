// Prepares a database for this version: runs the migrations, which are SQL files, and finds the installation
// (docs/decisions/database.md).

import { Client, type ClientConfig } from 'pg';
import type { Environment } from '../../domain/identifiers.ts';
import { pause } from '../../runtime/pause.ts';
import { requirePassed, StartProblem, unpreparedDatabase } from '../../runtime/start-problem.ts';
import { databaseFailure, LockNotAvailable } from '../connection/database-failure.ts';
import { connectMs, queryableOn } from '../connection/session.ts';
import { applyOwnSettings, noTimeouts } from '../connection/session-settings.ts';
import type { Queryable } from '../statements/statement.ts';
import { distributeTables, findCluster } from './cluster.ts';
import { databaseChecks, settingsCheck } from './database-checks.ts';
import { type Installation, requireInstallation } from './installation.ts';
import {
  migrationsTable,
  ownSchemaVersion,
  readMigration,
  readSchemaState,
  storeSchemaSql,
  tryLockSchema,
} from './store-schema.ts';

/** How long a migration waits for a lock, in ms: statements of running servers queue behind it in the meantime. */
const migrationLockWaitMs = 100;

/** After this time, the connection of a statement is considered lost, in ms. */
const migrationStatementMs = 600_000;

/** The pause before the next attempt, in ms, in which running servers process what has queued. */
const migrationPauseMs = 1_000;

/** A start waits about a minute for a lock: of a table, or of the schema while another server migrates. */
const migrationAttemptsMax = 50;

/**
 * Runs the missing migrations and finds or creates the installation, with this id; returns it, their names, and a
 * warning about the settings of the database.
 * @throws StartProblem if a check of the database fails; nothing has been changed then.
 */
export async function prepareDatabase(
  queryable: Queryable,
  connection: ClientConfig,
  own: { readonly environment: Environment; readonly installationId: Buffer },
): Promise<{
  readonly installation: Installation;
  readonly migrations: readonly string[];
  readonly warning: string | undefined;
}> {
  const results = await databaseChecks(connection, { environment: own.environment, clock: undefined });
  requirePassed(results);
  const warned = results.find(({ name, verdict }) => name === settingsCheck && verdict === 'warning');
  const migrations = await migrate(connection);
  const schemaVersion = await ownSchemaVersion();
  const installation = await requireInstallation(queryable, { ...own, schemaVersion });
  return { installation, migrations, warning: warned?.detail };
}

/**
 * Runs the missing migrations and returns their names. On a cluster, only its coordinator changes the schema. Concurrent
 * servers wait for each other. Migrations of a newer server stay: they work with the version before them unless
 * `requireInstallation` rejects the database.
 */
export async function migrate(connection: ClientConfig): Promise<readonly string[]> {
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

async function runMissing(connection: ClientConfig): Promise<readonly string[]> {
  const limits = { connectionTimeoutMillis: connectMs, query_timeout: migrationStatementMs };
  const client = new Client({ ...connection, ...limits, keepAlive: true });
  // A connection that breaks fails the statement that runs on it; it must not also end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await applyOwnSettings(client, { ...noTimeouts, lockMs: migrationLockWaitMs });
    const queryable = queryableOn(client);
    if ((await readSchemaState(queryable)).missing.length === 0) return [];
    if (!(await tryLockSchema(queryable))) throw new LockNotAvailable('Another migration is running.');
    if ((await findCluster(queryable))?.isCoordinator === false) return [];
    await client.query(`select set_config('search_path', quote_ident(${storeSchemaSql}), false)`);
    const { missing } = await readSchemaState(queryable);
    for (const name of missing) await runMigration(client, name);
    return missing;
  } finally {
    await client.end();
  }
}

/** Runs one migration in a transaction, which the end of the connection rolls back. */
async function runMigration(client: Client, name: string): Promise<void> {
  const queryable = queryableOn(client);
  await client.query('begin');
  const hasShards = ((await findCluster(queryable))?.shards ?? 0) > 0;
  // Within one transaction, Citus allows a change of all shards before one of a reference table only in this mode.
  if (hasShards) await client.query("set local citus.multi_shard_modify_mode = 'sequential'");
  const { sql, hash } = await readMigration(name);
  await client.query(sql);
  const cluster = hasShards ? await findCluster(queryable) : undefined;
  if (cluster !== undefined) await distributeTables(queryable, { ...cluster, distributed: [] });
  await client.query(`insert into ${migrationsTable} (name, hash) values ($1, $2)`, [name, hash]);
  await client.query('commit');
}
