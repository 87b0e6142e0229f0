// The advisory lock by which a living server is known to others on its data folder: held on a
// connection of its own for as long as the server runs, and gone with it, whatever ends it.

import { Client } from 'pg';
import { pause } from '../runtime/pause.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { ownConnection } from './own-connection.ts';

/** "OTIL" in ASCII, and the first lock of this kind: the two halves of PostgreSQL's key. */
const serverLockKey = [0x4f_54_49_4c, 1] as const;

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** Every cluster has this database; locks and the making of others belong to it. */
const maintenanceDatabase = 'postgres';

/** A PostgreSQL that is frozen accepts connections and never answers. */
const frozenAfterMs = 2_000;

/** Starting takes some 50 ms; asking every few is what keeps the server's own start short. */
const pollMs = 5;

/** Making the database takes some 50 ms, and many times that on a slow disk. */
const databaseMadeWithinMs = 30_000;

function newClient(endpoint: Endpoint, answerWithinMs: number): Client {
  return new Client({
    ...endpoint,
    ...ownConnection,
    database: maintenanceDatabase,
    connectionTimeoutMillis: frozenAfterMs,
    query_timeout: answerWithinMs,
    application_name: 'opentill-server-lock',
  });
}

export interface ServerLock {
  readonly client: Client;
  /** Resolves when the connection, and with it the lock, is gone. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
  /** This process may end while the lock is held. */
  unref(): void;
}

/**
 * Connects as soon as PostgreSQL lets it and takes the lock; undefined when `signal` is given first. A
 * lock held by an earlier connection of this same server, whose end PostgreSQL has not seen yet, is
 * waited for.
 */
export async function takeServerLock(
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<ServerLock | undefined> {
  while (!signal.aborted) {
    const lock = await tryServerLock(endpoint);
    if (lock !== undefined) return lock;
    await pause(pollMs);
  }
  return undefined;
}

async function tryServerLock(endpoint: Endpoint): Promise<ServerLock | undefined> {
  const client = newClient(endpoint, databaseMadeWithinMs);
  const lost = new Promise<void>((resolve) => {
    client.on('end', resolve);
    // An error of the connection ends it; what it was stands in PostgreSQL's log.
    client.on('error', () => resolve());
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      ...serverLockKey,
    ]);
    if (rows[0]?.taken === true) {
      const release = () => endWithin(client, frozenAfterMs);
      // Missing in the types of the driver.
      const unref = () => (client as Client & { unref(): void }).unref();
      return { client, lost, release, unref };
    }
    await client.end();
    return undefined;
  } catch (error) {
    if (!isNotReadyYet(error)) throw explainAccess(error);
    return undefined;
  }
}

/** Ends a connection; a PostgreSQL that is frozen never answers, and is not waited for. */
async function endWithin(client: Client, ms: number): Promise<void> {
  const ended = new AbortController();
  await Promise.race([client.end(), pause(ms, { signal: ended.signal })]);
  ended.abort();
}

/** Makes a database unless it is there. Only the holder of the lock does, so nobody else does meanwhile. */
export async function requireDatabase(lock: ServerLock, name: string): Promise<void> {
  const { rows } = await lock.client.query('select 1 from pg_database where datname = $1', [name]);
  if (rows.length === 0) await lock.client.query(`create database ${lock.client.escapeIdentifier(name)}`);
}

/** Whether a living server holds the lock; `unknown` while PostgreSQL does not answer. */
export async function askWhetherServerLives(endpoint: Endpoint): Promise<'lives' | 'no server' | 'unknown'> {
  const client = newClient(endpoint, frozenAfterMs);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `select 1 from pg_locks where locktype = 'advisory' and classid::int = $1 and objid::int = $2 and granted`,
      [...serverLockKey],
    );
    await client.end();
    return rows.length > 0 ? 'lives' : 'no server';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === tooManyConnections) return 'lives';
    if (!isNotReadyYet(error)) throw explainAccess(error);
    return 'unknown';
  }
}

const tooManyConnections = '53300';
const wrongPassword = '28P01';

/** SQLSTATEs of a PostgreSQL that is starting, stopping, recovering or full for the moment. */
const notReadyStates = ['57P01', '57P02', '57P03', tooManyConnections];

function isNotReadyYet(error: unknown): boolean {
  if (isSystemError(error, 'ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', ...notReadyStates)) return true;
  // The driver has no codes for a connection that ends or does not answer in time.
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout expired|Query read timeout)/.test(error.message)
  );
}

function explainAccess(error: unknown): unknown {
  if (!isSystemError(error, wrongPassword)) return error;
  return new StartProblem(
    `the bundled PostgreSQL does not take the password in the data folder's postgres.password: ` +
      'put back the file that belongs to this data',
    { cause: error },
  );
}
