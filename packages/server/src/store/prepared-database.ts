// A database made ready for this version: by a server that starts, or by a command.

import type { ClientConfig } from 'pg';
import type { Environment } from '../domain/identifiers.ts';
import type { Queryable } from './database.ts';
import { requireRightSettings } from './database-settings.ts';
import { type Installation, refuseForeignDatabase, requireInstallation } from './installation.ts';
import { migrate, ownSchemaVersion } from './migrate.ts';

/**
 * Runs the migrations that are missing, and finds or makes the installation.
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
    readonly log: (message: string) => void;
  },
): Promise<Installation> {
  const { environment, installationId, log } = own;
  const schemaVersion = await ownSchemaVersion();
  await refuseForeignDatabase(queryable, { environment, schemaVersion });
  await requireRightSettings(queryable);
  await migrate(connection, log);
  return requireInstallation(queryable, { environment, schemaVersion, installationId });
}
