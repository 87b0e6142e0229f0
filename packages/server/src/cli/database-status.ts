// What a database is, whose, and how far its schema is: read, and nothing changed.

import type { ClientConfig } from 'pg';
import type { Environment } from '../domain/identifiers.ts';
import type { Clock } from '../runtime/clock.ts';
import { measureClockDifference } from '../store/clock-difference.ts';
import { type DatabaseFacts, readDatabaseFacts } from '../store/database-facts.ts';
import { type DatabaseSettings, readDatabaseSettings } from '../store/database-settings.ts';
import { findInstallation } from '../store/installation.ts';
import { readSchemaState, type SchemaState } from '../store/schema-state.ts';
import { Session } from '../store/session.ts';

export interface DatabaseStatus extends DatabaseFacts, DatabaseSettings, SchemaState {
  /** undefined: no server has been on it. */
  readonly environment: Environment | undefined;
  /** From the clock of whoever asks to that of the database's machine, in ms. */
  readonly clockDifferenceMs: number;
}

/** @throws DatabaseUnavailable, StartProblem */
export async function readDatabaseStatus(connection: ClientConfig, clock: Clock): Promise<DatabaseStatus> {
  await using session = await Session.open(connection);
  const facts = { ...(await readDatabaseFacts(session)), ...(await readDatabaseSettings(session)) };
  const installation = await findInstallation(session);
  return {
    ...facts,
    environment: installation?.environment,
    ...(await readSchemaState(session)),
    clockDifferenceMs: await measureClockDifference(session, clock),
  };
}
