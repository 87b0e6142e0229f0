// The commands on the database of the settings, without a server: apply migrations, read the status, and spread the tables
// over a Citus cluster.

import { type Environ, readStoreConfig } from '../../config/config.ts';
import { secureRandomness } from '../../runtime/randomness.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { Session } from '../../store/connection/session.ts';
import {
  type Cluster,
  distributeTables,
  findCluster,
  requireNoConnections,
} from '../../store/schema/cluster.ts';
import { type DatabaseStatus, readDatabaseStatus } from '../../store/schema/database-checks.ts';
import { installationIdBytes } from '../../store/schema/installation.ts';
import { prepareDatabase } from '../../store/schema/migrate.ts';
import { tryLockSchema } from '../../store/schema/store-schema.ts';
import { storeConnectionOf } from './store-access.ts';

/** Applies missing migrations without starting a server and returns their names. */
export async function migrateDatabase(env: Environ): Promise<readonly string[]> {
  const config = readStoreConfig(env);
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  await using session = await Session.open(connection);
  const installationId = secureRandomness.bytes(installationIdBytes);
  const { environment } = config;
  const { migrations } = await prepareDatabase(session, connection, { environment, installationId });
  return migrations;
}

export async function databaseStatus(env: Environ): Promise<DatabaseStatus> {
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  await using session = await Session.open(connection);
  return await readDatabaseStatus(session);
}

/** Distributes what is not distributed yet, and returns the cluster. */
export async function distributeDatabase(
  env: Environ,
  { shards }: { readonly shards: number },
): Promise<Cluster> {
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  await using session = await Session.open(connection);
  if (!(await tryLockSchema(session))) {
    throw new StartProblem('Another command or server is changing the schema: try again when it has ended.');
  }
  const cluster = await requireCoordinator(session);
  const { installation, missing } = await readDatabaseStatus(session);
  if (installation === undefined || missing.length > 0) {
    throw new StartProblem('The schema needs migrations: run opentill database migrate first.');
  }
  await requireNoConnections(session);
  await distributeTables(session, { ...cluster, shards });
  return await requireCoordinator(session);
}

async function requireCoordinator(session: Session): Promise<Cluster> {
  const cluster = await findCluster(session);
  if (cluster === undefined) {
    throw new StartProblem(
      'This database is not in a Citus cluster: run "create extension citus" on the coordinator, and add the nodes.',
    );
  }
  if (cluster.isCoordinator) return cluster;
  throw new StartProblem('This is not the coordinator of the cluster: use its database URL.');
}
