// The postmaster, PostgreSQL's first process: how another process finds and stops it.

import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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

export interface Postmaster {
  readonly pid: number;
  readonly clusterFolder: string;
  /** The socket folder, or an address. */
  readonly host: string;
  readonly port: number;
}

/** The running postmaster of a cluster, as it recorded itself in `postmaster.pid`. */
export async function findPostmaster(clusterFolder: string): Promise<Postmaster | undefined> {
  const recorded = await readPostmasterFile(clusterFolder);
  return recorded !== undefined && isPostmaster(recorded.pid, clusterFolder) ? recorded : undefined;
}

/** The running postmaster of another folder, of which this one is a copy: a copy has the original's `postmaster.pid`. */
export async function findPostmasterOfOriginal(clusterFolder: string): Promise<Postmaster | undefined> {
  const recorded = await readPostmasterFile(clusterFolder);
  if (recorded === undefined || recorded.clusterFolder === resolve(clusterFolder)) return undefined;
  return isPostmaster(recorded.pid, recorded.clusterFolder) ? recorded : undefined;
}

async function readPostmasterFile(clusterFolder: string): Promise<Postmaster | undefined> {
  try {
    const text = await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8');
    const [pid, folder = '', , port, socketFolder, address] = text.split('\n').map((line) => line.trim());
    if (!(Number(pid) > 0)) return undefined;
    const host = socketFolder || address || '';
    return { pid: Number(pid), clusterFolder: resolve(folder), host, port: Number(port) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Checks the command line, since a number in an old file may belong to another process; only Linux has /proc. */
export function isPostmaster(pid: number, clusterFolder: string): boolean {
  if (process.platform !== 'linux') return signalProcess(pid, 0);
  return readProcessFile(`/proc/${pid}/cmdline`).includes(`\0-D\0${clusterFolder}\0`);
}

/** PostgreSQL refuses to start if `postmaster.pid` has the number of a process, which after a restart may be any. */
export async function removeMisleadingPostmasterFile(clusterFolder: string): Promise<void> {
  const recorded = await readPostmasterFile(clusterFolder);
  if (recorded === undefined || !signalProcess(recorded.pid, 0) || isPostmaster(recorded.pid, clusterFolder))
    return;
  await rm(join(clusterFolder, 'postmaster.pid'), { force: true });
}

/** Stops PostgreSQL and resolves when `isRunning` returns false, or after 4 seconds. */
export async function stopPostmaster(pid: number, isRunning: () => boolean): Promise<void> {
  for (const [signal, withinMs] of stopSteps) {
    if (!isRunning()) return;
    // The children of a killed postmaster may be as stuck as it was.
    const pids = signal === 'SIGKILL' ? [...childrenOf(pid), pid] : [pid];
    for (const each of pids) signalProcess(each, signal);
    const deadline = AbortSignal.timeout(withinMs);
    while (isRunning() && !deadline.aborted) await pause(pollMs);
  }
}

function childrenOf(pid: number): number[] {
  return [...readProcessFile(`/proc/${pid}/task/${pid}/children`).matchAll(/\d+/g)].map(Number);
}

/** Returns false if the process does not exist; signal 0 only checks. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return !isSystemError(error, 'ESRCH');
  }
}

/** Empty if the process has ended. */
function readProcessFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH', 'EACCES')) return '';
    throw error;
  }
}
