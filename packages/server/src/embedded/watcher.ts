// The watcher: a process of its own that runs PostgreSQL for as long as the server that started it
// lives. A pipe on its standard input tells it: whatever ends the server closes that pipe. It starts
// PostgreSQL again when that dies, keeps its log, and ignores signals meant for the server.

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pause } from '../runtime/pause.ts';
import { type BoundedLog, openBoundedLog } from './bounded-log.ts';
import { startGuard } from './guard.ts';
import { removeMisleadingPostmasterFile } from './postmaster.ts';
import { endLeftovers, stopPostgres } from './stop-postgres.ts';
import { decodeOrder, keepLine, type WatcherOrder } from './watcher-order.ts';

/** A PostgreSQL that dies again and again is started more and more seldom, from and up to these pauses. */
const restartPauseMinMs = 50;
const restartPauseMaxMs = 5_000;

/** Having run this long it was well: the next death is met with the short pause again. */
const ranWellMs = 10_000;

/** How long the end of PostgreSQL's output is waited for after its death. */
const lastWordsWithinMs = 200;

class Watcher {
  readonly #order: WatcherOrder;
  readonly #log: BoundedLog;
  readonly #serverGone = new AbortController();
  #keep = false;

  constructor(order: WatcherOrder) {
    this.#order = order;
    this.#log = openBoundedLog(order.logPath);
    const leave = () => this.#serverGone.abort();
    process.stdin.on('end', leave).on('error', leave).on('close', leave);
    process.stdin.setEncoding('utf8').on('data', (text) => {
      if (String(text).includes(keepLine)) this.#keep = true;
    });
  }

  async run(): Promise<void> {
    let restartPauseMs = restartPauseMinMs;
    while (!this.#serverGone.signal.aborted) {
      const ranWell = AbortSignal.timeout(ranWellMs);
      await this.#runPostgres();
      if (this.#serverGone.signal.aborted) break;
      if (!this.#keep) {
        await tellServer(this.#log.lastMeaningfulLine());
        break;
      }
      restartPauseMs = ranWell.aborted ? restartPauseMinMs : Math.min(restartPauseMs * 2, restartPauseMaxMs);
      this.#log.write(`watcher: PostgreSQL ended by itself and is started again in ${restartPauseMs} ms\n`);
      await this.#pauseUnlessServerGone(restartPauseMs);
      await endLeftovers(this.#order.clusterFolder);
    }
    const { socketFolder, removedFolders } = this.#order;
    if (socketFolder !== undefined) rmSync(socketFolder, { recursive: true, force: true });
    // One that never became ready leaves the log that says why.
    if (!this.#keep) return;
    for (const folder of removedFolders) rmSync(folder, { recursive: true, force: true });
  }

  /** Resolves when the postmaster has ended, by itself or because the server has gone. */
  async #runPostgres(): Promise<void> {
    await removeMisleadingPostmasterFile(this.#order.clusterFolder);
    const postgres = this.#spawnPostgres();
    const ended = new Promise<void>((resolve) => {
      postgres.on('error', (error) => {
        this.#log.write(`watcher: could not run ${this.#order.postgresPath}: ${error.message}\n`);
        resolve();
      });
      postgres.on('close', () => resolve());
      // What it left behind may hold its output open: its last words are waited for, but not for ever.
      postgres.on('exit', () => void pause(lastWordsWithinMs).then(resolve));
    });
    const { pid } = postgres;
    if (pid === undefined) return await ended;
    const guard = startGuard({
      pid,
      clusterFolder: this.#order.clusterFolder,
      runAs: this.#order.runAs,
      onProblem: (error) => this.#log.write(`watcher: guard: ${error.message}\n`),
    });
    const stopped = this.#stopWhenServerGone(postgres, pid);
    await Promise.race([ended, stopped]);
    if (this.#serverGone.signal.aborted) await stopped;
    await guard?.dismiss();
  }

  #spawnPostgres(): ChildProcess {
    const postgres = spawn(this.#order.postgresPath, this.#order.arguments, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...this.#order.runAs,
    });
    for (const output of [postgres.stdout, postgres.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => this.#log.write(text));
    }
    return postgres;
  }

  async #stopWhenServerGone(postgres: ChildProcess, pid: number): Promise<void> {
    const { signal } = this.#serverGone;
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await stopPostgres({
      pid,
      clusterFolder: this.#order.clusterFolder,
      programFolder: dirname(this.#order.postgresPath),
      hasGone: () => postgres.exitCode !== null || postgres.signalCode !== null,
    });
  }

  async #pauseUnlessServerGone(ms: number): Promise<void> {
    const { signal } = this.#serverGone;
    await Promise.race([
      pause(ms),
      new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
    ]);
  }
}

async function tellServer(text: string): Promise<void> {
  await new Promise((resolve) => process.stdout.write(text, resolve));
}

// A service manager that stops everything at once means the server, which finishes what is in flight
// and then closes the pipe: PostgreSQL must live until then.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// A server that has gone reads nothing of what it is told, and its going is seen on the other pipe.
process.stdout.on('error', () => undefined);

await new Watcher(decodeOrder(process.argv.slice(2))).run();
// An ended PostgreSQL's output may be held open by a leftover, which must not keep the watcher.
process.exit();
