// Prepares a database for this version, for a starting server or for a command.

import type { ClientConfig } from 'pg';
import type { Environment } from '../domain/identifiers.ts';
import type { Queryable } from './database.ts';
import { requireRightSettings } from './database-settings.ts';
import { type Installation, refuseForeignDatabase, requireInstallation } from './installation.ts';
import { migrate, ownSchemaVersion } from './migrate.ts';

interface PreparedDatabase {
  readonly installation: Installation;
  /** The names of the migrations that were applied. */
  readonly migrations: readonly string[];
}

/**
 * Runs the missing migrations and finds or creates the installation.
 * @throws StartProblem when the database does not answer, has settings that do not fit, or is not this environment's and
 * version's to change: then nothing was changed.
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
  const schemaVersion = await ownSchemaVersion();
  await refuseForeignDatabase(queryable, { environment, schemaVersion });
  await requireRightSettings(queryable);
  const migrations = await migrate(connection);
  const installation = await requireInstallation(queryable, { environment, schemaVersion, installationId });
  return { installation, migrations };
}
