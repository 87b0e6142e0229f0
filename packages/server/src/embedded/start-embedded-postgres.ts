// Starts the bundled PostgreSQL on a data folder, and finds the one that another process has started there.
// Follows docs/decisions/database.md.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { pause } from '../runtime/pause.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { explainSystemError, StartProblem } from '../runtime/start-problem.ts';
import { programPath, provideBinaries, requireInstalledBinaries } from './binaries.ts';
import { hasCluster, refuseOtherMajorVersion, requireCluster, requirePassword } from './cluster.ts';
import { type DataFolder, findDataFolder, prepareDataFolder, removeLeftovers } from './data-folder.ts';
import {
  type Connection,
  connectionTo,
  findErrorLine,
  type Listening,
  minimalEnvironment,
  postgresArguments,
} from './postgres-settings.ts';
import { findPostmaster, type Postmaster, removeStalePidFile, stopPostmaster } from './postmaster.ts';
import { isServerRunning, tryServerLock } from './server-lock.ts';
import type { WatcherOrder } from './watcher.ts';

/** A start takes 100 ms; the recovery after a crash reads at most max_wal_size of the write-ahead log. */
const readyTimeoutMs = 60_000;
const readyPollMs = 20;

/** The watcher ends within 5 seconds; one that does not is stuck. */
const watcherTimeoutMs = 6_000;

/** How long a start waits for another one or for a stop; a PostgreSQL that recovers from a crash needs longer to stop. */
const contentionTimeoutMs = 20_000;
const contentionPauseMs = 20;

/** A watcher whose server has gone stops PostgreSQL within 5 seconds: a PostgreSQL that runs longer has none. */
const orphanedAfterMs = 6_000;

/** Another server was faster, or the processes of a killed postmaster have not ended yet. */
const contended = /lock file .* already exists|pre-existing shared memory block/;

/** The socket's port only names its file. */
const socketPort = 5432;

/** The watcher, compiled if this file is. */
const watcherScript = fileURLToPath(new URL(`./watcher${extname(import.meta.url)}`, import.meta.url));

export interface EmbeddedPostgres extends AsyncDisposable {
  readonly connection: Connection;
  /** The folder of its data if that is outside the data folder, as for root. */
  readonly elsewhere: string | undefined;
  /** Resolves when PostgreSQL has ended without `stop`. It does not restart: the next start recovers. */
  readonly ended: Promise<void>;
  /** Stops PostgreSQL, which rolls back open transactions, and resolves when it has ended. */
  stop(): Promise<void>;
}

interface EmbeddedPostgresOptions {
  readonly dataFolder: string;
  /** False for data that is thrown away: faster, but a power loss destroys it. */
  readonly isDurable?: boolean;
  /** False to remove the data folder when PostgreSQL has ended, whatever ended this process. */
  readonly isKept?: boolean;
}

interface PostgresSetup extends Required<Omit<EmbeddedPostgresOptions, 'dataFolder'>> {
  readonly folder: DataFolder;
  /** Contains the programs' `bin`, `lib` and `share`. */
  readonly native: string;
  readonly password: string;
}

/**
 * Starts the bundled PostgreSQL on a data folder, which is created if it is missing, and resolves when the database
 * accepts connections. Throws a StartProblem for what the operator must fix, such as another server on the folder.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const installed = requireInstalledBinaries();
  const folder = await prepareDataFolder(options.dataFolder);
  if (await hasCluster(folder)) await refuseOtherMajorVersion(folder, installed);
  const password = await requirePassword(folder);
  const native = await provideBinaries(installed, folder);
  const setup = { isDurable: true, isKept: true, ...options, folder, native, password };
  await requireCluster(setup);
  const deadline = AbortSignal.timeout(contentionTimeoutMs);
  const orphaned = AbortSignal.timeout(orphanedAfterMs);
  while (!deadline.aborted) {
    const other = await findPostmaster(folder.clusterFolder);
    if (other !== undefined) {
      const isServer = await checkOtherServer(other, setup);
      if (isServer === false && orphaned.aborted) await stopPostmaster(other);
    } else {
      const started = await runPostgres(setup);
      if (started !== undefined) return started;
    }
    await pause(contentionPauseMs);
  }
  throw new StartProblem(
    `another OpenTill server is still starting or stopping on the data folder ${folder.path}: try again when it is done`,
  );
}

/** How to connect to the bundled PostgreSQL of a running server; undefined if there is none. */
export async function findRunningPostgres(dataFolder: string): Promise<Connection | undefined> {
  const folder = await findDataFolder(dataFolder);
  const postmaster = await findPostmaster(folder.clusterFolder);
  if (postmaster?.clusterFolder !== folder.clusterFolder) return undefined;
  const connection = connectionTo(postmaster, await requirePassword(folder));
  return (await isServerRunning(connection)) === true ? connection : undefined;
}

/** Whether a data folder has a database. Throws a StartProblem if it had one that is missing. */
export async function hasDatabase(dataFolder: string): Promise<boolean> {
  return hasCluster(await findDataFolder(dataFolder));
}

/** Throws a StartProblem if the other PostgreSQL has a server; false: it has none; undefined: it does not respond. */
async function checkOtherServer(other: Postmaster, { folder, password }: PostgresSetup) {
  const { path, clusterFolder } = folder;
  if (other.clusterFolder !== clusterFolder) {
    throw new StartProblem(
      `the data folder ${path} was copied or moved while in use: PostgreSQL is running in ${other.clusterFolder} ` +
        `(process ${other.pid}); stop that server, and copy the folder again`,
    );
  }
  const isServer = await isServerRunning(connectionTo(other, password));
  if (isServer !== true) return isServer;
  throw new StartProblem(
    `another OpenTill server is running on the data folder ${path}: stop it, or give this one another folder`,
  );
}

/** Runs PostgreSQL; undefined if another server was faster, or if processes of a killed PostgreSQL are still ending. */
async function runPostgres(setup: PostgresSetup): Promise<EmbeddedPostgres | undefined> {
  const { folder, native, password } = setup;
  const { clusterFolder, logPath } = folder;
  await removeStalePidFile(clusterFolder);
  const listening = await prepareListening(folder);
  const connection = connectionTo(listening, password);
  await using log = await open(logPath, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const watcher = startWatcher(setup, listening, log.fd);
  let postmaster: Postmaster | undefined;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    // A watcher that was killed has not stopped PostgreSQL.
    stopping ??= stopWatcher(watcher).then(() => postmaster && stopPostmaster(postmaster));
    return stopping;
  };
  try {
    const lock = await acquireServerLock(connection, watcher);
    if (lock === undefined) {
      if (!hasEnded(watcher))
        throw startProblem(folder, `it was not ready within ${readyTimeoutMs / 1000} seconds`);
      const content = await readFile(logPath);
      // The watcher may have emptied a large log.
      const output = content.subarray(content.length < logStart ? 0 : logStart).toString();
      if (contended.test(output)) return undefined;
      throw startProblem(folder, findErrorLine(output) ?? 'it logged nothing');
    }
    const ended = new Promise<void>((resolve) => {
      const end = () => stopping === undefined && resolve();
      watcher.once('exit', end);
      lock.once('end', end);
    });
    postmaster = await findPostmaster(clusterFolder);
    await removeLeftovers(folder, [native, listening.host]);
    const elsewhere = folder.base === folder.path ? undefined : clusterFolder;
    return { connection, elsewhere, ended, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startWatcher(
  { folder, native, isDurable, isKept }: PostgresSetup,
  listening: Listening,
  log: number,
): ChildProcess {
  const { clusterFolder, logPath, account } = folder;
  const removedFolders = isKept ? [] : [folder.base, folder.path];
  if (listening.isSocket) removedFolders.push(listening.host);
  const order: WatcherOrder = {
    program: programPath(native, 'postgres'),
    arguments: postgresArguments({ clusterFolder, listening, isDurable }),
    ...{ clusterFolder, logPath, removedFolders, account },
  };
  const watcher = spawn(process.execPath, [watcherScript, JSON.stringify(order)], {
    cwd: '/',
    // A session of its own, which Ctrl-C in the server's terminal does not reach.
    detached: true,
    env: minimalEnvironment,
    stdio: ['pipe', log, log],
    windowsHide: true,
  });
  watcher.on('error', () => undefined);
  // Closing the pipe of a watcher that has ended fails.
  watcher.stdin?.on('error', () => undefined);
  return watcher;
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid === undefined || exitCode !== null || signalCode !== null;

/** Acquires the lock as soon as PostgreSQL accepts connections; undefined if it does not. */
async function acquireServerLock(connection: Connection, watcher: ChildProcess): Promise<Client | undefined> {
  const deadline = AbortSignal.timeout(readyTimeoutMs);
  let lock: Client | undefined;
  while (lock === undefined && !hasEnded(watcher) && !deadline.aborted) {
    lock = await tryServerLock(connection);
    if (lock === undefined) await pause(readyPollMs);
  }
  return lock;
}

/** Closes the pipe and waits until the watcher has stopped PostgreSQL. */
async function stopWatcher(watcher: ChildProcess): Promise<void> {
  if (hasEnded(watcher)) return;
  watcher.stdin?.end();
  const signal = AbortSignal.timeout(watcherTimeoutMs);
  await once(watcher, 'exit', { signal }).catch(() => watcher.kill('SIGKILL'));
}

/** A socket folder with a name of its own for each server, or a free port of the loopback address. */
async function prepareListening({ socketParent, account }: DataFolder): Promise<Listening> {
  if (process.platform === 'win32') {
    const host = '127.0.0.1';
    await using server = createServer().listen(0, host);
    await once(server, 'listening');
    return { host, port: (server.address() as AddressInfo).port, isSocket: false };
  }
  const host = join(socketParent, `opentill-${secureRandomness.bytes(6).toString('hex')}`);
  const what = `cannot create the folder of PostgreSQL's socket in ${socketParent} (set TMPDIR for another)`;
  await explainSystemError(what, async () => {
    await mkdir(host, { mode: 0o700 });
    if (account !== undefined) await chown(host, account.uid, account.gid);
  });
  return { host, port: socketPort, isSocket: true };
}

function startProblem({ logPath }: DataFolder, reason: string): StartProblem {
  return new StartProblem(`the bundled PostgreSQL did not start: ${reason} (log: ${logPath})`);
}
