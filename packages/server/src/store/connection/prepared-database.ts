// Prepares a database for this version, for a starting server or for a command.

import type { ClientConfig } from 'pg';
import type { Environment } from '../../domain/identifiers.ts';
import { requirePassed } from '../../runtime/check-result.ts';
import type { Queryable } from './database.ts';
import { databaseChecks } from './database-checks.ts';
import { type Installation, requireInstallation } from './installation.ts';
import { migrate, ownSchemaVersion } from './migrate.ts';

interface PreparedDatabase {
  readonly installation: Installation;
  /** The names of the migrations that were applied. */
  readonly migrations: readonly string[];
}

/**
 * Runs the missing migrations and finds or creates the installation.
 * @throws StartProblem if a check of the database fails; nothing has been changed then.
 */
export async function prepareDatabase(
  queryable: Queryable,
  connection: ClientConfig,
  own: {
    readonly environment: Environment;
    /** Names the installation if there is none yet. */
    readonly installationId: Buffer;
  },
): Promise<PreparedDatabase> {
  const { environment, installationId } = own;
  requirePassed(await databaseChecks(connection, { environment, clock: undefined }));
  const schemaVersion = await ownSchemaVersion();
  const migrations = await migrate(connection);
  const installation = await requireInstallation(queryable, { environment, schemaVersion, installationId });
  return { installation, migrations };
}
