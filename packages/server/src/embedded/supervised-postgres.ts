// A running bundled PostgreSQL: starts its watcher, holds the server lock, and recovers when either is lost.

import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { appendFile, chown, lstat, mkdir, open, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../runtime/pause.ts';
import { explainSystemError, StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { programPath } from './binaries.ts';
import { type DataFolder, removeLeftovers } from './data-folder.ts';
import {
  databaseName,
  databaseUser,
  findErrorLine,
  type Listening,
  minimalEnvironment,
  postgresArguments,
} from './postgres-settings.ts';
import {
  acquireServerLock,
  closeClient,
  requireDatabase,
  type ServerLock,
  waitForPredecessor,
} from './server-lock.ts';
import type { WatcherOrder } from './watcher.ts';

/** A start takes 100 ms; the recovery after a crash reads at most max_wal_size of the write-ahead log. */
const readyTimeoutMs = 60_000;

/** The watcher ends within 5 seconds; one that does not is stuck. */
const watcherTimeoutMs = 6_000;

/** How long starts may contend, and the pause between two of them. */
const contentionTimeoutMs = 20_000;
const contentionPauseMs = 20;
const recoveryPauseMs = 1_000;

/** The end of the log, which explains a failed start. */
const logTailBytes = 16 * 1024;

/** The watcher, compiled if this file is. */
const watcherScript = fileURLToPath(new URL(`./watcher${extname(import.meta.url)}`, import.meta.url));

export interface PostgresSetup {
  readonly folder: DataFolder;
  /** Contains the programs' `bin`, `lib` and `share`. */
  readonly native: string;
  readonly password: string;
  readonly listening: Listening;
  readonly isDurable: boolean;
  readonly isKept: boolean;
}

export class SupervisedPostgres {
  readonly #setup: PostgresSetup;
  readonly #stopping = new AbortController();
  #watcher: Watcher | undefined;
  #lock: ServerLock | undefined;
  #supervision: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #keepsProcess = true;

  private constructor(setup: PostgresSetup) {
    this.#setup = setup;
  }

  /** Resolves when the database accepts connections. Throws a StartProblem if it cannot. */
  static async start(setup: PostgresSetup, signal: AbortSignal): Promise<SupervisedPostgres> {
    const postgres = new SupervisedPostgres(setup);
    await postgres.#startPostgres(signal);
    postgres.#supervision = postgres.#supervise();
    return postgres;
  }

  /** Stops PostgreSQL and resolves when it has ended. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Lets this process end while PostgreSQL runs; the watcher then stops it. */
  unref(): void {
    this.#keepsProcess = false;
    this.#watcher?.unref();
    this.#lock?.unref();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#supervision;
    await this.#shutDown();
  }

  async #startPostgres(signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.timeout(contentionTimeoutMs);
    for (;;) {
      await waitForPredecessor({ ...this.#setup, signal });
      await ensureSocketFolder(this.#setup);
      const watcher = startWatcher(this.#setup);
      this.#watcher = watcher;
      try {
        if (await this.#becomeReady(watcher, signal)) return;
        const output = await watcher.readOutput();
        // Another server was faster, or the processes of a killed postmaster have not ended yet.
        const isContended = /lock file .* already exists|pre-existing shared memory block/.test(output);
        if (!isContended || deadline.aborted) throw this.#startProblem(findErrorLine(output));
        await pause(contentionPauseMs, { signal });
      } catch (error) {
        await this.#shutDown();
        throw error;
      }
    }
  }

  /** False if the watcher has ended first. */
  async #becomeReady(watcher: Watcher, signal: AbortSignal): Promise<boolean> {
    const giveUp = AbortSignal.any([signal, AbortSignal.timeout(readyTimeoutMs), watcher.ended]);
    this.#lock = await acquireServerLock(endpointOf(this.#setup), giveUp);
    signal.throwIfAborted();
    if (this.#lock !== undefined) {
      const { folder, native, listening } = this.#setup;
      await removeLeftovers(folder, [native, listening.host]);
      await requireDatabase(this.#lock, databaseName).catch((error: Error) => {
        throw this.#startProblem(`its database cannot be created: ${error.message}`, error);
      });
      return true;
    }
    if (watcher.ended.aborted) return false;
    throw this.#startProblem(`it was not ready within ${readyTimeoutMs / 1000} seconds`);
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const watcher = this.#watcher;
        await Promise.race([whenAborted(signal), watcher && whenAborted(watcher.ended), this.#lock?.lost]);
        if (signal.aborted) return;
        await this.#recover(signal);
        if (!this.#keepsProcess) this.unref();
      } catch (error) {
        if (signal.aborted) return;
        await this.#logLine(`PostgreSQL could not be recovered yet: ${(error as Error).message}`);
        await pause(recoveryPauseMs, { signal }).catch(() => undefined);
      }
    }
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const [watcher, lock] = [this.#watcher, this.#lock];
    this.#lock = undefined;
    // If PostgreSQL is still running, the lock must not look like that of another server.
    if (lock !== undefined) await closeClient(lock.client);
    if (watcher !== undefined && !watcher.ended.aborted) {
      // PostgreSQL restarts itself after the crash of a backend.
      const giveUp = AbortSignal.any([signal, watcher.ended]);
      this.#lock = await acquireServerLock(endpointOf(this.#setup), giveUp);
    } else {
      await this.#logLine('PostgreSQL or its watcher has ended; restarting');
      await this.#startPostgres(signal);
    }
  }

  /** Releases the lock and ends the watcher, which stops PostgreSQL. */
  async #shutDown(): Promise<void> {
    const [watcher, lock] = [this.#watcher, this.#lock];
    this.#watcher = undefined;
    this.#lock = undefined;
    if (lock !== undefined) await closeClient(lock.client);
    await watcher?.stop();
  }

  #startProblem(reason = 'it logged nothing', cause?: Error): StartProblem {
    const { logPath } = this.#setup.folder;
    return new StartProblem(`the bundled PostgreSQL did not start: ${reason} (log: ${logPath})`, { cause });
  }

  /** Writes a line to the log; recovery continues without it if the disk is full. */
  async #logLine(line: string): Promise<void> {
    const { logPath } = this.#setup.folder;
    await appendFile(logPath, `server: ${line}\n`, { mode: 0o600 }).catch(() => undefined);
  }
}

function endpointOf({ listening, password }: PostgresSetup) {
  return { host: listening.host, port: listening.port, user: databaseUser, password };
}

/** The folder is removed when PostgreSQL stops, but a running server's connections need the same path again. */
async function ensureSocketFolder({ folder, listening }: PostgresSetup): Promise<void> {
  const { socketFolder } = listening;
  if (socketFolder === undefined) return;
  const { account, socketParent } = folder;
  const what = `cannot create the folder of PostgreSQL's socket in ${socketParent} (set TMPDIR for another)`;
  await explainSystemError(what, async () => {
    try {
      await mkdir(socketFolder, { mode: 0o700 });
      if (account !== undefined) await chown(socketFolder, account.uid, account.gid);
    } catch (error) {
      const owner = account?.uid ?? process.getuid?.();
      if (!isSystemError(error, 'EEXIST') || (await lstat(socketFolder)).uid !== owner) throw error;
    }
  });
}

interface Watcher {
  /** Aborted when the watcher has ended. */
  readonly ended: AbortSignal;
  /** What PostgreSQL and the watcher have logged. */
  readOutput(): Promise<string>;
  /** Closes the pipe and waits until the watcher has stopped PostgreSQL. */
  stop(): Promise<void>;
  unref(): void;
}

function startWatcher(setup: PostgresSetup): Watcher {
  const { folder, native, listening, isDurable, isKept } = setup;
  const { clusterFolder, logPath, account } = folder;
  const removedFolders = isKept ? [] : [folder.base, folder.path];
  if (listening.socketFolder !== undefined) removedFolders.push(listening.socketFolder);
  const order: WatcherOrder = {
    program: programPath(native, 'postgres'),
    arguments: postgresArguments({ clusterFolder, listening, isDurable }),
    clusterFolder,
    logPath,
    removedFolders,
    account,
  };
  const log = openSync(logPath, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const watcher = spawn(process.execPath, [watcherScript, JSON.stringify(order)], {
    cwd: '/',
    // A session of its own, which Ctrl-C in the server's terminal does not reach.
    detached: true,
    env: minimalEnvironment,
    stdio: ['pipe', log, log],
    windowsHide: true,
  });
  closeSync(log);
  const ended = new AbortController();
  let failure = '';
  watcher.on('exit', () => ended.abort());
  watcher.on('error', (error) => {
    failure = error.message;
    ended.abort();
  });
  // Closing the pipe of a watcher that has ended fails.
  watcher.stdin?.on('error', () => undefined);
  return {
    ended: ended.signal,
    readOutput: async () => `${await readTail(logPath, logStart)}\n${failure}`,
    async stop() {
      watcher.stdin?.end();
      await whenAborted(AbortSignal.any([ended.signal, AbortSignal.timeout(watcherTimeoutMs)]));
      // The guard stops what a stuck watcher did not.
      watcher.kill('SIGKILL');
    },
    unref() {
      watcher.unref();
      (watcher.stdin as Socket | null)?.unref();
    },
  };
}

/** The end of a log from a position on; the log may have been emptied in the meantime. */
async function readTail(path: string, start: number): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const position = Math.max(size < start ? 0 : start, size - logTailBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(logTailBytes), 0, logTailBytes, position);
  return buffer.toString('utf8', 0, bytesRead);
}

async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Removes the socket folder of a start that failed. */
export async function removeSocketFolder({ socketFolder }: Listening): Promise<void> {
  if (socketFolder !== undefined) await rm(socketFolder, { recursive: true, force: true });
}
