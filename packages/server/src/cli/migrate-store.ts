// Brings a database up to this version without starting a server: for an account that may change tables where
// that of the servers may not.

import type { ClientConfig } from 'pg';
import type { Environment } from '../domain/identifiers.ts';
import type { Randomness } from '../runtime/randomness.ts';
import { installationIdBytes } from '../store/installation.ts';
import { prepareDatabase } from '../store/prepared-database.ts';
import { Session } from '../store/session.ts';

/**
 * Returns the names of the migrations that were applied.
 * @throws DatabaseUnavailable, StartProblem
 */
export async function migrateStore(
  connection: ClientConfig,
  { environment, randomness }: { readonly environment: Environment; readonly randomness: Randomness },
): Promise<readonly string[]> {
  await using session = await Session.open(connection);
  const installationId = randomness.bytes(installationIdBytes);
  const { migrations } = await prepareDatabase(session, connection, { environment, installationId });
  return migrations;
}
