// Which processes run on this machine. On Linux from /proc, elsewhere from `ps`; Windows has neither, so
// there only a process id can be asked for.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { isSystemError } from '../runtime/system-errors.ts';

interface RunningProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** Whether a process of this id is there, whoever owns it, a zombie included. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EPERM')) return true;
    if (isSystemError(error, 'ESRCH')) return false;
    throw error;
  }
}

/** Whether a process of this id runs: a zombie that nobody reaps does not. */
export function isAlive(pid: number): boolean {
  if (process.platform !== 'linux') return exists(pid);
  return readProcess(pid, () => readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '') === true;
}

/** Sends a signal; a process that has gone meanwhile is what the sender wants. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}

/** What a process was started with, each argument followed by a blank. */
export async function listCommandLines(): Promise<RunningProcess[]> {
  if (process.platform === 'win32') return [];
  if (process.platform === 'linux') {
    return readEach((pid) => {
      // Empty for a zombie, which is as good as gone.
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return commandLine === '' ? undefined : { pid, commandLine };
    });
  }
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=', '-o', 'args=']);
  return stdout.split('\n').map((line) => {
    const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), commandLine: `${args} ` };
  });
}

/**
 * Every `postgres` process whose working folder is the cluster: the postmaster and, after its death,
 * what it left. Known on Linux alone; elsewhere PostgreSQL itself refuses to start beside leftovers.
 */
export function listPostgresProcesses(clusterFolder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readEach((pid) => {
    if (readlinkSync(`/proc/${pid}/cwd`) !== clusterFolder) return undefined;
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n' ? pid : undefined;
  });
}

function readEach<Found>(read: (pid: number) => Found | undefined): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name), read))
    .filter((found) => found !== undefined);
}

function readProcess<Found>(pid: number, read: (pid: number) => Found | undefined): Found | undefined {
  try {
    return read(pid);
  } catch (error) {
    // Gone meanwhile, or another account's.
    if (isSystemError(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
