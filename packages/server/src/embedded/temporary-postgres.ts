// A bundled PostgreSQL for one process: its folders are removed when it ends, whatever ended the process.

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { explainSystemError, StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { findDataFolder } from './data-folder.ts';
import { readPidFile, signalProcess, stopPostmaster } from './postmaster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts';

/** Followed by the id of the process and six characters. */
const namePrefix = 'opentill-sandbox-';
const folderName = /^opentill-sandbox-(\d+)-\w{6}$/;

/** Starts an empty PostgreSQL, and removes what processes have left that were killed together with their watcher. */
export async function startTemporaryPostgres(): Promise<EmbeddedPostgres> {
  const dataFolder = await explainSystemError(
    `cannot create a folder in ${tmpdir()} (set TMPDIR for another)`,
    async () => {
      for (const name of await readdir(tmpdir())) {
        const pid = Number(folderName.exec(name)?.[1]);
        if (pid > 0 && !signalProcess(pid, 0)) await removeAbandoned(join(tmpdir(), name));
      }
      return await mkdtemp(join(tmpdir(), `${namePrefix}${process.pid}-`));
    },
  );
  return startEmbeddedPostgres({ dataFolder, isDurable: false, isKept: false });
}

/** Removes a data folder of this account, with its cluster and its socket folder. Its watcher may be removing it at the same time. */
async function removeAbandoned(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return;
    const { base, clusterFolder } = await findDataFolder(path);
    const postmaster = await readPidFile(clusterFolder);
    // Elsewhere the id may belong to another process; a PostgreSQL whose folder is gone ends within a minute.
    if (postmaster !== undefined && process.platform === 'linux') await stopPostmaster(postmaster);
    const socketFolder = isAbsolute(postmaster?.host ?? '') ? [String(postmaster?.host)] : [];
    // In this order, because the last one names the others.
    for (const each of [...socketFolder, base, path])
      await rm(each, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    const cause = error instanceof StartProblem ? error.cause : error;
    if (!isSystemError(cause, 'ENOENT')) throw error;
  }
}
