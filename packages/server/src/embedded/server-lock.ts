// The session advisory lock that a running server holds on its bundled PostgreSQL. The lock ends with the server's
// connection, whatever ends the server.

import { Client } from 'pg';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import type { Connection } from './postgres-settings.ts';

/** The two halves of the lock's key: "OTIL" in ASCII, and the number of this lock. */
const lockKey = [0x4f_54_49_4c, 1];

/** A PostgreSQL that is frozen accepts connections and never responds. */
const responseTimeoutMs = 2_000;

const wrongPassword = '28P01';

/** The connection that has the lock; undefined if PostgreSQL is not ready, or while another process asks for the lock. */
export async function tryServerLock(connection: Connection): Promise<Client | undefined> {
  const client = clientOf(connection);
  if (await acquire(client, 'pg_try_advisory_lock')) {
    // The watcher keeps the process running. The types of the driver lack this method.
    (client as Client & { unref(): void }).unref();
    return client;
  }
  void client.end();
  return undefined;
}

/** Whether a running server holds the lock; undefined while PostgreSQL does not respond. */
export async function isServerRunning(connection: Connection): Promise<boolean | undefined> {
  const client = clientOf(connection);
  // Shared, so that two processes that ask at once do not look like a server to each other.
  const isFree = await acquire(client, 'pg_try_advisory_lock_shared');
  // Not awaited: a frozen PostgreSQL never responds.
  void client.end();
  return isFree === undefined ? undefined : !isFree;
}

function clientOf(connection: Connection): Client {
  const client = new Client({
    ...connection,
    connectionTimeoutMillis: responseTimeoutMs,
    query_timeout: responseTimeoutMs,
    application_name: 'opentill-server-lock',
  });
  // Without a listener, the loss of a connection ends the process.
  client.on('error', () => undefined);
  return client;
}

/** Whether the lock was acquired; undefined while PostgreSQL does not respond. */
async function acquire(
  client: Client,
  lock: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
): Promise<boolean | undefined> {
  try {
    await client.connect();
    const { rows } = await client.query(`select ${lock}($1, $2) as "isAcquired"`, lockKey);
    return rows[0].isAcquired;
  } catch (error) {
    if (!isSystemError(error, wrongPassword)) return undefined;
    throw new StartProblem(
      "the bundled PostgreSQL does not accept the password in the data folder's postgres.password: restore the file " +
        'that belongs to this data',
      { cause: error },
    );
  }
}
