// Reads the version, settings, environment and schema of a database; changes nothing.

import { type DatabaseFacts, readDatabaseFacts } from './database-facts.ts';
import { type DatabaseSettings, readDatabaseSettings } from './database-settings.ts';
import { findInstallation, type Installation } from './installation.ts';
import { readSchemaState, type SchemaState } from './schema-state.ts';
import type { Session } from './session.ts';

export interface DatabaseStatus extends DatabaseFacts, DatabaseSettings, SchemaState {
  /** undefined: no server has used the database. */
  readonly installation: Installation | undefined;
}

/** @throws DatabaseUnavailable, StartProblem */
export async function readDatabaseStatus(session: Session): Promise<DatabaseStatus> {
  return {
    ...(await readDatabaseFacts(session)),
    ...(await readDatabaseSettings(session)),
    installation: await findInstallation(session),
    ...(await readSchemaState(session)),
  };
}
