// Starts the bundled PostgreSQL on a data folder, and finds the one that another process has started there.
// Follows docs/decisions/database.md.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { exists } from '../runtime/files.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { explainSystemError } from '../runtime/start-problem.ts';
import { provideBinaries, requireInstalledBinaries } from './binaries.ts';
import * as cluster from './cluster.ts';
import { type DataFolder, findDataFolder, prepareDataFolder } from './data-folder.ts';
import { databaseName, databaseUser, type Listening, ownConnection } from './postgres-settings.ts';
import { findPostmaster } from './postmaster.ts';
import { readLockState } from './server-lock.ts';
import { removeSocketFolder, SupervisedPostgres } from './supervised-postgres.ts';

type Connection = ReturnType<typeof connectionOf>;

export interface EmbeddedPostgres extends AsyncDisposable {
  /** For `pg`; the host is the socket's folder, or 127.0.0.1 where there are no Unix sockets. */
  readonly connection: Connection;
  /** Stops PostgreSQL, which rolls back open transactions, and resolves when it has ended. */
  stop(): Promise<void>;
  /** Lets this process end while PostgreSQL runs; it then ends too. */
  unref(): void;
}

interface EmbeddedPostgresOptions {
  readonly dataFolder: string;
  readonly signal?: AbortSignal;
  /** False for data that is thrown away: faster, but a power loss destroys it. */
  readonly isDurable?: boolean;
  /** False to remove the data folder when PostgreSQL has ended, whatever ended this process. */
  readonly isKept?: boolean;
}

/** The socket's port only names its file. */
const socketPort = 5432;

/**
 * Starts the bundled PostgreSQL on a data folder, which is created if it is missing, and resolves when the database
 * accepts connections. Throws a StartProblem for what the operator must fix, such as another server on the folder.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const installed = requireInstalledBinaries();
  const { signal = new AbortController().signal, isDurable = true, isKept = true } = options;
  signal.throwIfAborted();
  const folder = await prepareDataFolder(options.dataFolder);
  if (await cluster.hasCluster(folder)) await cluster.refuseOtherMajorVersion(folder, installed);
  const password = await cluster.requirePassword(folder);
  const native = await provideBinaries(installed, folder);
  await cluster.requireCluster({ folder, native, password, isDurable, signal });
  const listening = await chooseListening(folder);
  try {
    const postgres = await SupervisedPostgres.start(
      { folder, native, password, listening, isDurable, isKept },
      signal,
    );
    const stop = () => postgres.stop();
    const unref = () => postgres.unref();
    return { connection: connectionOf(listening, password), stop, unref, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await removeSocketFolder(listening);
    throw error;
  }
}

/** How to connect to the bundled PostgreSQL of a running server; undefined if there is none. */
export async function findRunningPostgres(dataFolder: string): Promise<Connection | undefined> {
  const { clusterFolder, passwordPath } = await findDataFolder(dataFolder);
  const postmaster = await findPostmaster(clusterFolder);
  if (postmaster === undefined || !(await exists(passwordPath))) return undefined;
  const password = await explainSystemError(`cannot read ${passwordPath}`, () =>
    readFile(passwordPath, 'utf8'),
  );
  const connection = connectionOf(postmaster, password.trim());
  return (await readLockState(connection)) === 'held' ? connection : undefined;
}

/** Whether a data folder has a database. Throws a StartProblem if it had one that is missing. */
export async function hasDatabase(dataFolder: string): Promise<boolean> {
  return cluster.hasCluster(await findDataFolder(dataFolder));
}

function connectionOf({ host, port }: { readonly host: string; readonly port: number }, password: string) {
  return { ...ownConnection, host, port, user: databaseUser, password, database: databaseName };
}

/** A socket folder with a name of its own for each server, or a free port of the loopback address. */
async function chooseListening({ socketParent }: DataFolder): Promise<Listening> {
  if (process.platform !== 'win32') {
    const socketFolder = join(socketParent, `opentill-${secureRandomness.bytes(6).toString('hex')}`);
    return { host: socketFolder, port: socketPort, socketFolder };
  }
  const host = '127.0.0.1';
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return { host, port, socketFolder: undefined };
}
