// Applies migrations to a database and reads its status, without a server.

import { type Environ, readStoreConfig } from '../config/config.ts';
import { storeConnectionOf } from '../program/store-access.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { type DatabaseStatus, readDatabaseStatus } from '../store/connection/database-checks.ts';
import { installationIdBytes } from '../store/connection/installation.ts';
import { prepareDatabase } from '../store/connection/migrate.ts';
import { Session } from '../store/connection/session.ts';

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
