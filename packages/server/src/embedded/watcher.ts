// The watcher: a process that runs PostgreSQL as long as its standard input, a pipe from the server, is open. The
// system closes the pipe when the server ends, whatever ends it. When PostgreSQL ends, the watcher ends too.

import { spawn } from 'node:child_process';
import { copyFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { pause } from '../runtime/pause.ts';
import { stopPostmaster } from './postmaster.ts';

/** The watcher's only argument, as JSON. */
export interface WatcherOrder {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly clusterFolder: string;
  /** The watcher's output, which PostgreSQL inherits. */
  readonly logPath: string;
  /** Removed when PostgreSQL has ended. */
  readonly removedFolders: readonly string[];
  /** Runs PostgreSQL; undefined for the watcher's own account. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/** Enough for weeks of a quiet server and for the story of a crash. */
const logBytesMax = 5 * 1024 * 1024;
const logCheckMs = 60_000;

async function runPostgres(order: WatcherOrder): Promise<void> {
  const { program, clusterFolder, account } = order;
  const serverGone = finished(process.stdin.resume(), { writable: false }).catch(() => undefined);
  const postgres = spawn(program, order.arguments, { stdio: ['ignore', 'inherit', 'inherit'], ...account });
  const ended = new Promise<void>((resolve) => {
    postgres.once('exit', () => resolve());
    postgres.once('error', (error) => {
      process.stderr.write(`could not run ${program}: ${error.message}\n`);
      resolve();
    });
  });
  await Promise.race([serverGone, ended]);
  if (postgres.pid !== undefined) await stopPostmaster({ pid: postgres.pid, clusterFolder });
  for (const folder of order.removedFolders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Moves a large log to its one predecessor. PostgreSQL has the file open, so it is copied and emptied. */
async function limitLog(path: string): Promise<never> {
  for (;;) {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) {
      try {
        copyFileSync(path, `${path}.1`);
      } catch (error) {
        process.stderr.write(`could not copy the log: ${(error as Error).message}\n`);
      }
      truncateSync(path);
    }
    await pause(logCheckMs);
  }
}

// Signals to the whole group are meant for the server, which needs PostgreSQL to finish the requests in flight.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const order = JSON.parse(process.argv[2] ?? '') as WatcherOrder;
void limitLog(order.logPath);
await runPostgres(order);
process.exit();
