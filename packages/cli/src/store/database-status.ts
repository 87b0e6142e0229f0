// Reads the status of a database for a command.

import {
  type DatabaseStatus,
  readDatabaseStatus,
} from '@opentill/server/store/connection/database-status.ts';
import { Session } from '@opentill/server/store/connection/session.ts';
import type { ClientConfig } from 'pg';

/** @throws DatabaseUnavailable, StartProblem */
export async function databaseStatus(connection: ClientConfig): Promise<DatabaseStatus> {
  await using session = await Session.open(connection);
  return await readDatabaseStatus(session);
}
