// The watcher: a process that runs PostgreSQL as long as its standard input, a pipe from the server, is open. The
// system closes the pipe when the server ends, whatever ends it. When PostgreSQL ends, the watcher ends too.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { pause } from '../runtime/pause.ts';
import { stopPostmaster } from './postmaster.ts';

/** The watcher's only argument, as JSON. */
export interface WatcherOrder {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly clusterFolder: string;
  /** The watcher's output, which PostgreSQL inherits. */
  readonly logPath: string;
  /** Removed when the server has ended. */
  readonly removedFolders: readonly string[];
  /** Runs PostgreSQL; undefined for the watcher's own account. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

/** Enough for weeks of a quiet server and for the story of a crash. */
const logBytesMax = 5 * 1024 * 1024;
const logCheckMs = 60_000;

/** Stops PostgreSQL if the watcher is killed. It is a shell, so that it survives a kill of every Node.js process. */
const guardScript = `
read -r word && exit 0
kill -INT "$1"
tries=0
while kill -0 "$1"; do
  tries=$((tries + 1))
  [ $tries -eq 25 ] && kill -QUIT "$1"
  [ $tries -ge 35 ] && kill -KILL "$1" && break
  sleep 0.1 || sleep 1
done
`;

async function runPostgres(order: WatcherOrder): Promise<void> {
  const serverGone = new Promise<void>((resolve) => {
    for (const event of ['end', 'error', 'close']) process.stdin.on(event, () => resolve());
    process.stdin.resume();
  });
  const postgres = spawn(order.program, order.arguments, {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...order.account,
  });
  const { pid } = postgres;
  const ended = new Promise<void>((resolve) => {
    postgres.on('exit', () => resolve());
    postgres.on('error', (error) => {
      process.stderr.write(`could not run ${order.program}: ${error.message}\n`);
      resolve();
    });
  });
  if (pid === undefined) return await ended;
  const guard = startGuard(pid, order.clusterFolder);
  const isRunning = () => postgres.exitCode === null && postgres.signalCode === null;
  const isServerGone = await Promise.race([serverGone.then(() => true), ended.then(() => false)]);
  if (isServerGone) await stopPostmaster(pid, isRunning);
  // From here on, the number of the process may be reused.
  await dismiss(guard);
  if (!isServerGone) return;
  for (const folder of order.removedFolders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function startGuard(pid: number, clusterFolder: string): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  // The last argument only identifies the guard in a list of processes.
  const guard = spawn('/bin/sh', ['-c', guardScript, 'opentill-guard', String(pid), clusterFolder], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', (error) => process.stderr.write(`could not run the guard: ${error.message}\n`));
  // A guard that was killed reads nothing.
  guard.stdin?.on('error', () => undefined);
  return guard;
}

async function dismiss(guard: ChildProcess | undefined): Promise<void> {
  if (guard?.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return;
  const exit = once(guard, 'exit');
  guard.stdin?.end('done\n');
  await exit;
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
