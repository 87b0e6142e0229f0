// A PostgreSQL that runs for this server: its watcher, the lock that tells others of this server, and
// the recovery when either is lost.

import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pause } from '../runtime/pause.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { programPath } from './bundled-binaries.ts';
import { databaseName, databaseUser } from './database-names.ts';
import type { Place } from './place.ts';
import { postgresArguments } from './postgres-settings.ts';
import { findPostmaster } from './postmaster.ts';
import { clearTheWay } from './predecessor.ts';
import { isAlive } from './processes.ts';
import { requireDatabase, type ServerLock, takeServerLock } from './server-lock.ts';
import { type Listening, noteSocketFolder, requireSocketFolder } from './socket-folder.ts';
import { stopPostgres } from './stop-postgres.ts';
import { startWatcher, type WatcherProcess } from './watcher-process.ts';

/** A start takes some 100 ms; the recovery after a crash reads at most max_wal_size of its log. */
const readyWithinMs = 60_000;

/** Servers that start at one instant get in each other's way once; more often than this is a fault. */
const attemptsMax = 5;

/** The watcher ends within 5 seconds; one that does not is stuck. */
const watcherEndedWithinMs = 6_000;

/** Between two tries to recover; each has bounds of its own, so that this only keeps from spinning. */
const recoveryPauseMs = 1_000;

export interface PostgresSetup {
  readonly place: Place;
  /** The folder of the programs' `bin`, `lib` and `share`. */
  readonly native: string;
  readonly password: string;
  readonly listening: Listening;
  readonly isDurable: boolean;
  readonly isKept: boolean;
}

export class SupervisedPostgres {
  readonly #setup: PostgresSetup;
  readonly #stopping = new AbortController();
  #watcher: WatcherProcess | undefined;
  #lock: ServerLock | undefined;
  #supervision: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #holdsProcess = true;

  private constructor(setup: PostgresSetup) {
    this.#setup = setup;
  }

  /** Resolves when the database can be connected to; a StartProblem says why it cannot. */
  static async start(setup: PostgresSetup, signal: AbortSignal): Promise<SupervisedPostgres> {
    const postgres = new SupervisedPostgres(setup);
    await postgres.#bringUp(signal);
    postgres.#supervision = postgres.#supervise();
    return postgres;
  }

  /** Stops PostgreSQL and resolves when it has gone; further calls share the first one's outcome. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Its watcher stops PostgreSQL when this process has ended, whatever it ends by. */
  unref(): void {
    this.#holdsProcess = false;
    this.#watcher?.unref();
    this.#lock?.unref();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#supervision;
    await this.#letGo();
  }

  async #bringUp(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await clearTheWay(this.#setup.place, this.#access(), signal);
      await requireSocketFolder(this.#setup.place, this.#setup.listening);
      this.#watcher = startWatcher(this.#order());
      try {
        if (await this.#becomeReady(this.#watcher, signal)) return;
        const line = await this.#watcher.ended;
        const isContended = /lock file .* already exists|pre-existing shared memory block/.test(line);
        if (isContended && attempt < attemptsMax) continue;
        throw this.#startProblem(line);
      } catch (error) {
        await this.#letGo();
        throw error;
      }
    }
  }

  /** False if the watcher has ended before; throws if `signal` is given or it takes too long. */
  async #becomeReady(watcher: WatcherProcess, signal: AbortSignal): Promise<boolean> {
    const tooLate = AbortSignal.timeout(readyWithinMs);
    const giveUp = AbortSignal.any([signal, tooLate, watcher.endedSignal]);
    this.#lock = await takeServerLock(this.#endpoint(), giveUp);
    signal.throwIfAborted();
    if (this.#lock !== undefined) {
      watcher.keep();
      await noteSocketFolder(this.#setup.place, this.#setup.listening);
      await requireDatabase(this.#lock, databaseName).catch((error: Error) => {
        throw this.#startProblem(`its database cannot be made: ${error.message}`, error);
      });
      return true;
    }
    if (watcher.endedSignal.aborted) return false;
    throw this.#startProblem(`it was not ready within ${readyWithinMs / 1000} seconds`);
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    const stopping = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    while (!signal.aborted) {
      try {
        await Promise.race([stopping, this.#watcher?.ended, this.#lock?.lost]);
        if (signal.aborted) return;
        await this.#recover(signal);
        if (!this.#holdsProcess) this.unref();
      } catch (error) {
        // Called off by the stop: its reason is no problem to tell.
        if (signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        await this.#note(`PostgreSQL could not be recovered yet: ${message}`);
        await Promise.race([stopping, pause(recoveryPauseMs)]);
      }
    }
  }

  async #recover(signal: AbortSignal): Promise<void> {
    const watcher = this.#watcher;
    const lock = this.#lock;
    this.#lock = undefined;
    if (watcher !== undefined && !watcher.endedSignal.aborted) {
      // The watcher starts PostgreSQL again: only the lock has to be taken anew.
      this.#lock = await takeServerLock(this.#endpoint(), AbortSignal.any([signal, watcher.endedSignal]));
      return;
    }
    await this.#note('the watcher of PostgreSQL has ended; starting another');
    // Its PostgreSQL may live on for a moment: held there, the lock would look like another server's.
    await lock?.release();
    await this.#bringUp(signal);
  }

  /** Ends the lock, the watcher and PostgreSQL, in bounded time. */
  async #letGo(): Promise<void> {
    const [watcher, lock] = [this.#watcher, this.#lock];
    this.#watcher = undefined;
    this.#lock = undefined;
    await lock?.release();
    if (watcher === undefined) return;
    watcher.letGo();
    const ended = new AbortController();
    await Promise.race([watcher.ended, pause(watcherEndedWithinMs, { signal: ended.signal })]);
    ended.abort();
    if (watcher.endedSignal.aborted) return;
    watcher.kill();
    const { clusterFolder } = this.#setup.place;
    const pid = await findPostmaster(clusterFolder);
    if (pid === undefined) return;
    await stopPostgres({ ...this.#access(), pid, clusterFolder, hasGone: () => !isAlive(pid) });
  }

  #endpoint() {
    const { listening, password } = this.#setup;
    return { host: listening.host, port: listening.port, user: databaseUser, password };
  }

  #access() {
    const programFolder = dirname(programPath(this.#setup.native, 'postgres'));
    return { user: databaseUser, password: this.#setup.password, programFolder };
  }

  #order() {
    const { place, native, listening, isDurable, isKept } = this.#setup;
    const { clusterFolder } = place;
    return {
      clusterFolder,
      postgresPath: programPath(native, 'postgres'),
      arguments: postgresArguments({ clusterFolder, listening, isDurable }),
      logPath: place.logPath,
      socketFolder: listening.socketFolder,
      removedFolders: isKept ? [] : [place.base, place.dataFolder],
      runAs: place.account,
    };
  }

  #startProblem(line: string, cause?: Error): StartProblem {
    const { logPath } = this.#setup.place;
    return new StartProblem(`the bundled PostgreSQL did not start: ${line} (log: ${logPath})`, { cause });
  }

  /** Writes to the log what is of use there. A recovery on a full disk goes on without. */
  async #note(line: string): Promise<void> {
    const writing = appendFile(this.#setup.place.logPath, `server: ${line}\n`, { mode: 0o600 });
    await writing.catch(() => undefined);
  }
}
