// Ends a PostgreSQL within a bounded time, as gently as that allows. The watcher does this when its
// server has gone, and a server that starts does it to a PostgreSQL that nobody watches.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause } from '../runtime/pause.ts';
import { listPostgresProcesses, signalIfAlive } from './processes.ts';

/**
 * How long each way of stopping may take. Together below 5 seconds, within which nothing of a killed
 * server may be left. The first disconnects everybody and writes a checkpoint; the second leaves that
 * to the recovery at the next start, where nothing is lost either; the third cannot be refused.
 */
const steps = [
  { signal: 'SIGINT', goneWithinMs: 2_500 },
  { signal: 'SIGQUIT', goneWithinMs: 1_000 },
  { signal: 'SIGKILL', goneWithinMs: 500 },
] as const;

/** Backends notice the death of their postmaster at once, unless they are deep in a computation. */
const leftoversGoneWithinMs = 500;

/** Short beside the time that a shutdown takes (some 50 ms when idle). */
const pollMs = 10;

/** Stops the postmaster `pid` and all that belongs to it, and resolves when it has gone. */
export async function stopPostgres(options: {
  pid: number;
  clusterFolder: string;
  programFolder: string;
  hasGone: () => boolean;
}): Promise<void> {
  for (const { signal, goneWithinMs } of steps) {
    if (options.hasGone()) break;
    await signalPostgres(options, signal);
    if (await becomesTrue(options.hasGone, goneWithinMs)) break;
  }
  await endLeftovers(options.clusterFolder);
}

/** Waits for what a dead postmaster left behind, and ends what does not go by itself. */
export async function endLeftovers(clusterFolder: string): Promise<void> {
  const allGone = () => listPostgresProcesses(clusterFolder).length === 0;
  if (await becomesTrue(allGone, leftoversGoneWithinMs)) return;
  for (const pid of listPostgresProcesses(clusterFolder)) signalIfAlive(pid, 'SIGKILL');
  await becomesTrue(allGone, leftoversGoneWithinMs);
}

async function signalPostgres(
  target: { pid: number; programFolder: string },
  signal: (typeof steps)[number]['signal'],
): Promise<void> {
  if (process.platform !== 'win32') {
    signalIfAlive(target.pid, signal);
    return;
  }
  // Windows has no signals: PostgreSQL listens on a pipe for them, which pg_ctl knows how to use.
  const pgCtl = join(target.programFolder, 'pg_ctl.exe');
  await promisify(execFile)(pgCtl, ['kill', signal.slice('SIG'.length), String(target.pid)]);
}

async function becomesTrue(condition: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = AbortSignal.timeout(withinMs);
  while (!condition()) {
    if (deadline.aborted) return false;
    await pause(pollMs);
  }
  return true;
}
