// Data folders for tests of the bundled PostgreSQL, and the processes that run on them.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findDataFolder, rootHome } from '../../../packages/server/src/embedded/data-folder.ts';
import { findPostmaster } from '../../../packages/server/src/embedded/postmaster.ts';
import { isSystemError } from '../../../packages/server/src/runtime/system-errors.ts';

export interface Scratch extends AsyncDisposable {
  readonly path: string;
  readonly dataFolder: string;
  /** Tests kill processes, which loses nothing without fsync either; only a power loss would. */
  readonly isDurable: false;
}

/** A new folder of mode 0700, removed together with what a server started by root stored elsewhere. */
export async function makeScratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  const dataFolder = join(path, 'data');
  return {
    path,
    dataFolder,
    isDurable: false,
    async [Symbol.asyncDispose]() {
      await removeDataFolder(dataFolder);
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Removes a data folder and, if root started a server on it, the data below rootHome. */
export async function removeDataFolder(dataFolder: string): Promise<void> {
  const base = dirname(await findClusterFolder(dataFolder));
  if (base.startsWith(`${rootHome}/`)) await rm(base, { recursive: true, force: true, maxRetries: 5 });
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
}

export async function findClusterFolder(dataFolder: string): Promise<string> {
  const isFolder = (await stat(dataFolder).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) return join(dataFolder, 'postgres');
  return (await findDataFolder(dataFolder)).clusterFolder;
}

export async function requirePostmasterId(dataFolder: string): Promise<number> {
  const postmaster = await findPostmaster(await findClusterFolder(dataFolder));
  if (postmaster === undefined) throw new Error('no postmaster');
  return postmaster.pid;
}

interface RunningProcess {
  readonly commandLine: string;
  readonly folder: string;
}

/** The ids of the processes that match. */
function findProcesses(matches: (running: RunningProcess) => boolean): number[] {
  const isMatch = (name: string): boolean => {
    try {
      const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return matches({ commandLine, folder: readlinkSync(`/proc/${name}/cwd`) });
    } catch (error) {
      // It has ended in the meantime, or belongs to another account.
      if (isSystemError(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return false;
      throw error;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isMatch(name))
    .map(Number);
}

/** The process ids of the postmaster of a cluster and of its children, also after the postmaster's death. */
export const findPostgresProcesses = (clusterFolder: string): number[] =>
  findProcesses(({ commandLine, folder }) => folder === clusterFolder && commandLine.includes('postgres'));

/** The process ids of everything that belongs to a cluster: watcher, postmaster and its children. */
export const findProcessesOf = (clusterFolder: string): number[] =>
  findProcesses(({ commandLine, folder }) => folder === clusterFolder || commandLine.includes(clusterFolder));

/** The process id of a cluster's watcher. */
export function requireWatcher(clusterFolder: string): number {
  const [watcher] = findProcesses(
    ({ commandLine }) => /embedded\/watcher\.[jt]s /.test(commandLine) && commandLine.includes(clusterFolder),
  );
  if (watcher === undefined) throw new Error(`no watcher of ${clusterFolder}`);
  return watcher;
}
