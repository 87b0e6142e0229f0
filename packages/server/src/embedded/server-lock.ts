// The session advisory lock that a running server holds on its bundled PostgreSQL. The lock ends with the server's
// connection, whatever ends the server.

import { Client } from 'pg';
import { pause } from '../runtime/pause.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import type { DataFolder } from './data-folder.ts';
import { databaseUser, ownConnection } from './postgres-settings.ts';
import {
  findPostmaster,
  findPostmasterOfOriginal,
  isPostmaster,
  removeMisleadingPostmasterFile,
  stopPostmaster,
} from './postmaster.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface ServerLock {
  readonly client: Client;
  /** Resolves when the connection, and with it the lock, is lost. */
  readonly lost: Promise<void>;
  /** Lets this process end while the lock is held. */
  unref(): void;
}

/** The two halves of the lock's key: "OTIL" in ASCII, and the number of this lock. */
const lockKey = [0x4f_54_49_4c, 1];

/** Every cluster has this database. */
const maintenanceDatabase = 'postgres';

/** A PostgreSQL that is frozen accepts connections and never answers. */
const answerTimeoutMs = 2_000;

/** Creating the database takes 50 ms, and many times that on a slow disk. */
const createTimeoutMs = 30_000;

/** A start takes some 50 ms; a recovery may take long. */
const pollMinMs = 5;
const pollMaxMs = 100;

/** A watcher whose server has gone stops PostgreSQL within 5 seconds: a PostgreSQL that runs longer has none. */
const orphanedAfterMs = 6_000;

/** A PostgreSQL that recovers from a crash may need longer to stop. */
const predecessorTimeoutMs = 20_000;
const predecessorPollMs = 20;

const tooManyConnections = '53300';
const wrongPassword = '28P01';

/** The file and network errors, and the SQLSTATEs, of a PostgreSQL that is starting, stopping or recovering. */
const notReadyCodes = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'];

/** Acquires the lock as soon as PostgreSQL accepts connections; undefined if `signal` is aborted first. */
export async function acquireServerLock(
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<ServerLock | undefined> {
  for (let pollMs = pollMinMs; !signal.aborted; pollMs = Math.min(pollMs * 1.2, pollMaxMs)) {
    const client = newClient(endpoint, createTimeoutMs);
    const lost = new Promise<void>((resolve) => client.once('end', resolve).once('error', () => resolve()));
    const sql = 'select pg_try_advisory_lock($1, $2) as acquired';
    // An earlier connection of this server may still have the lock: PostgreSQL has not noticed its end.
    if ((await runUnlessNotReady(client, sql))?.['acquired'] === true) {
      // The types of the driver lack this method.
      return { client, lost, unref: () => (client as Client & { unref(): void }).unref() };
    }
    await closeClient(client);
    await pause(pollMs);
  }
  return undefined;
}

/** Whether a running server holds the lock; `unknown` while PostgreSQL does not answer. */
export async function readLockState(endpoint: Endpoint): Promise<'held' | 'free' | 'unknown'> {
  const client = newClient(endpoint, answerTimeoutMs);
  try {
    const sql = `select count(*)::int as locks from pg_locks
      where locktype = 'advisory' and classid::int = $1 and objid::int = $2 and granted`;
    const row = await runUnlessNotReady(client, sql);
    if (row === undefined) return 'unknown';
    return row['locks'] === 0 ? 'free' : 'held';
  } finally {
    await closeClient(client);
  }
}

/** Waits until nothing runs on the cluster. Throws a StartProblem if another server does, or if it takes too long. */
export async function waitForPredecessor(options: {
  readonly folder: DataFolder;
  readonly password: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { folder, password, signal } = options;
  const { clusterFolder, path } = folder;
  const original = await findPostmasterOfOriginal(clusterFolder);
  if (original !== undefined) {
    throw new StartProblem(
      `the data folder ${path} was copied or moved while in use: PostgreSQL is running in ${original.clusterFolder} ` +
        `(process ${original.pid}); stop that server, and copy the folder again`,
    );
  }
  const deadline = AbortSignal.timeout(predecessorTimeoutMs);
  const orphaned = AbortSignal.timeout(orphanedAfterMs);
  for (;;) {
    const postmaster = await findPostmaster(clusterFolder);
    if (postmaster === undefined) return await removeMisleadingPostmasterFile(clusterFolder);
    const { pid, host, port } = postmaster;
    const state = await readLockState({ host, port, user: databaseUser, password });
    if (state === 'held') {
      throw new StartProblem(
        `another OpenTill server is running on the data folder ${path}: stop it, or give this one another folder`,
      );
    }
    if (state === 'free' && orphaned.aborted) {
      await stopPostmaster(pid, () => isPostmaster(pid, clusterFolder));
    } else if (deadline.aborted) {
      throw new StartProblem(
        `another OpenTill server is still starting or stopping on the data folder ${path} (process ${pid}): ` +
          'try again when it is done',
      );
    }
    await pause(predecessorPollMs, { signal });
  }
}

/** Creates a database unless it exists. The lock keeps other servers from creating it at the same time. */
export async function requireDatabase({ client }: ServerLock, name: string): Promise<void> {
  const { rows } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rows.length === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
}

/** Closes a connection; a frozen PostgreSQL never answers, so the wait is limited. */
export async function closeClient(client: Client): Promise<void> {
  const closed = new AbortController();
  await Promise.race([client.end(), pause(answerTimeoutMs, { signal: closed.signal })]);
  closed.abort();
}

function newClient(endpoint: Endpoint, queryTimeoutMs: number): Client {
  const client = new Client({
    ...endpoint,
    ...ownConnection,
    database: maintenanceDatabase,
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: queryTimeoutMs,
    application_name: 'opentill-server-lock',
  });
  // Without a listener, the loss of a connection ends the process.
  client.on('error', () => undefined);
  return client;
}

/** The row of a statement on the lock's key; undefined if PostgreSQL is not ready. */
async function runUnlessNotReady(client: Client, sql: string): Promise<Record<string, unknown> | undefined> {
  try {
    await client.connect();
    return (await client.query(sql, lockKey)).rows[0];
  } catch (error) {
    if (isNotReady(error)) return undefined;
    if (!isSystemError(error, wrongPassword)) throw error;
    throw new StartProblem(
      "the bundled PostgreSQL does not accept the password in the data folder's postgres.password: restore the file " +
        'that belongs to this data',
      { cause: error },
    );
  }
}

function isNotReady(error: unknown): boolean {
  if (isSystemError(error, tooManyConnections, ...notReadyCodes)) return true;
  // The driver has no codes for a connection that ends or times out.
  const { message } = error as Error;
  return /^(Connection terminated|timeout expired|Query read timeout)/.test(message);
}
