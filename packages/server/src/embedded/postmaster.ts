// The postmaster, PostgreSQL's first process: how another process finds and stops it.

import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '../runtime/pause.ts';
import { isSystemError } from '../runtime/system-errors.ts';

/**
 * Signals and how long each may take, below 5 seconds in total. The first writes a checkpoint, the second leaves that to
 * the recovery at the next start, and the third cannot be ignored.
 */
const stopSteps = [
  ['SIGINT', 2_500],
  ['SIGQUIT', 1_000],
  ['SIGKILL', 500],
] as const;

const pollMs = 10;

/** The content of `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  /** The original's folder, if this one was copied while in use. */
  readonly clusterFolder: string;
  /** The socket folder, or an address. */
  readonly host: string;
  readonly port: number;
}

/** The running postmaster that a cluster's folder names. */
export async function findPostmaster(clusterFolder: string): Promise<Postmaster | undefined> {
  const recorded = await readPidFile(clusterFolder);
  return recorded !== undefined && isRunning(recorded) ? recorded : undefined;
}

/** PostgreSQL refuses to start if `postmaster.pid` has the number of a process, which after a restart may be any. */
export async function removeStalePidFile(clusterFolder: string): Promise<void> {
  const recorded = await readPidFile(clusterFolder);
  if (recorded === undefined || isRunning(recorded) || !signalProcess(recorded.pid, 0)) return;
  await rm(pidFileOf(clusterFolder), { force: true });
}

/** Stops PostgreSQL and resolves when it has ended, or after 4 seconds. */
export async function stopPostmaster(postmaster: Pick<Postmaster, 'pid' | 'clusterFolder'>): Promise<void> {
  for (const [signal, withinMs] of stopSteps) {
    if (!isRunning(postmaster)) return;
    signalProcess(postmaster.pid, signal);
    const deadline = AbortSignal.timeout(withinMs);
    while (isRunning(postmaster) && !deadline.aborted) await pause(pollMs);
  }
}

const pidFileOf = (clusterFolder: string) => join(clusterFolder, 'postmaster.pid');

/** The records of a cluster's folder, also after the postmaster has ended. */
export async function readPidFile(clusterFolder: string): Promise<Postmaster | undefined> {
  try {
    const text = await readFile(pidFileOf(clusterFolder), 'utf8');
    const [pid, folder = '', , port, socketFolder, address] = text.split('\n').map((line) => line.trim());
    if (!(Number(pid) > 0)) return undefined;
    const host = socketFolder || address || '';
    return { pid: Number(pid), clusterFolder: folder, host, port: Number(port) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Checks the command line, since a number in an old file may belong to another process; only Linux has /proc. */
function isRunning({ pid, clusterFolder }: Pick<Postmaster, 'pid' | 'clusterFolder'>): boolean {
  if (process.platform !== 'linux') return signalProcess(pid, 0);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0-D\0${clusterFolder}\0`);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH', 'EACCES')) return false;
    throw error;
  }
}

/** Returns false if the process does not exist; signal 0 only checks, and a negative id is that of a group. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return !isSystemError(error, 'ESRCH');
  }
}
