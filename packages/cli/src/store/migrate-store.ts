// Brings a database up to this version without starting a server: for an account that may change tables where
// that of the servers may not.

import type { Environment } from '@opentill/server/domain/identifiers.ts';
import type { Randomness } from '@opentill/server/runtime/randomness.ts';
import { installationIdBytes } from '@opentill/server/store/connection/installation.ts';
import { prepareDatabase } from '@opentill/server/store/connection/prepared-database.ts';
import { Session } from '@opentill/server/store/connection/session.ts';
import type { ClientConfig } from 'pg';

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
