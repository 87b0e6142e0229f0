// The postmaster of a cluster: PostgreSQL's first process, which names itself in `postmaster.pid`.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../runtime/system-errors.ts';
import { exists, isAlive, listCommandLines, listPostgresProcesses } from './processes.ts';

export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly socketFolder: string;
  /** Empty unless it listens on TCP. */
  readonly listenAddress: string;
}

/** What PostgreSQL noted about itself when it last started on the cluster: it may be long gone. */
export async function readPostmasterFile(clusterFolder: string): Promise<PostmasterFile | undefined> {
  try {
    const lines = (await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8')).split('\n');
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return {
      pid,
      port: Number(lines[3] ?? 0),
      socketFolder: (lines[4] ?? '').trim(),
      listenAddress: (lines[5] ?? '').trim(),
    };
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/**
 * The process id of the living postmaster of a cluster. Checked against what the process was started
 * with, since a stale file's number may by now belong to anything.
 */
export async function findPostmaster(clusterFolder: string): Promise<number | undefined> {
  const noted = (await readPostmasterFile(clusterFolder))?.pid;
  if (process.platform === 'win32') return noted !== undefined && isAlive(noted) ? noted : undefined;
  const candidates = (await listCommandLines())
    .filter(({ commandLine }) => commandLine.includes(`postgres -D ${clusterFolder} -c `))
    .map(({ pid }) => pid);
  // A backend looks like its postmaster for an instant after its fork: the file tells them apart.
  return candidates.find((pid) => pid === noted) ?? candidates[0];
}

/**
 * PostgreSQL refuses to start while the number in its file is that of any living process, which after
 * a restart of a container it often is. A file that names something else than a postmaster is removed.
 */
export async function removeMisleadingPostmasterFile(clusterFolder: string): Promise<void> {
  const noted = await readPostmasterFile(clusterFolder);
  if (noted === undefined || !exists(noted.pid)) return;
  if ((await findPostmaster(clusterFolder)) !== undefined) return;
  if (listPostgresProcesses(clusterFolder).length > 0) return;
  await rm(join(clusterFolder, 'postmaster.pid'), { force: true });
}
