// The cluster: the folder of PostgreSQL's data, made once by initdb, the password to it, and the mark by which a
// data folder without its cluster is told from a new one.

import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFileOnce, syncFolder } from '../runtime/durable-file.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { meaningfulLine } from './bounded-log.ts';
import { type BinariesSource, programPath } from './bundled-binaries.ts';
import { databaseUser } from './database-names.ts';
import { makeDraftFolder } from './draft-folders.ts';
import { explainRefusal } from './explained-refusals.ts';
import { isThere, notedCluster, type Place } from './place.ts';

/** As many bits as scram-sha-256 itself can hold. */
const passwordBytes = 32;

/** It takes half a second; a slow disk may need a hundred times that. */
const initdbWithinMs = 60_000;

const markText =
  'The database of this data folder was made. A start that does not find it is refused: it would be an empty one.\n';

/**
 * Throws a StartProblem if the cluster was made and is gone: half of a backup, a disk that is not mounted, or a data
 * folder that was moved away from its cluster.
 */
export async function refuseLostCluster(place: Place): Promise<void> {
  // In this order: who makes a cluster leaves the mark after it.
  const isMade = await isThere(place.markPath);
  if (await isThere(place.clusterFolder)) return;
  const made = (await notedCluster(place)) ?? join(place.dataFolder, 'postgres');
  if (made !== place.clusterFolder && (await isThere(made))) {
    throw new StartProblem(
      `the database of the data folder ${place.dataFolder} lies in ${made}, for another path of the data folder or ` +
        `another account: go back to those, or move the database to ${place.clusterFolder}`,
    );
  }
  if (!isMade) return;
  throw new StartProblem(
    `${made} is missing, the database of the data folder ${place.dataFolder}: put it back or mount its ` +
      'disk, or give OpenTill a new data folder for an empty database',
  );
}

/** The password of this data folder, made at its first start: the same for every server that asks. */
export async function requirePassword(place: Place): Promise<string> {
  return await explainRefusal(`cannot read or make ${place.passwordPath}`, async () => {
    if (!(await isThere(place.passwordPath))) {
      if (await isThere(place.clusterFolder)) {
        throw new StartProblem(
          `${place.passwordPath} is missing, the password to the database in ${place.clusterFolder}: put it back`,
        );
      }
      const password = secureRandomness.bytes(passwordBytes).toString('base64url');
      await createFileOnce(place.passwordPath, password);
    }
    return (await readFile(place.passwordPath, 'utf8')).trim();
  });
}

/** Throws a StartProblem if the data is there and of another major version than the bundled programs. */
export async function refuseOtherMajorVersion(place: Place, source: BinariesSource): Promise<void> {
  const bundled = source.version.split('.')[0];
  const found = await explainRefusal(`cannot read the database in ${place.clusterFolder}`, async () => {
    try {
      return (await readFile(join(place.clusterFolder, 'PG_VERSION'), 'utf8')).trim();
    } catch (error) {
      if (isSystemError(error, 'ENOENT') && !(await isThere(place.clusterFolder))) return bundled;
      throw error;
    }
  });
  if (found === bundled) return;
  throw new StartProblem(
    `the data folder ${place.dataFolder} was made by PostgreSQL ${found} and this OpenTill brings ${bundled}: ` +
      'run `opentill export` with the version of OpenTill that made it, and import that into a new data folder',
  );
}

interface ClusterOptions {
  readonly place: Place;
  readonly native: string;
  readonly password: string;
  readonly isDurable: boolean;
  readonly signal: AbortSignal;
}

/**
 * Makes the cluster unless it is there: at once or not at all, and if asked for, durable when this resolves. Then
 * leaves the mark, also on one that a version without marks made.
 */
export async function requireCluster(options: ClusterOptions): Promise<void> {
  const { place } = options;
  if (!(await isThere(place.clusterFolder))) await makeCluster(options);
  if (await isThere(place.markPath)) return;
  if (options.isDurable) await syncFolder(place.base);
  await createFileOnce(place.markPath, markText);
}

async function makeCluster(options: ClusterOptions): Promise<void> {
  const { place } = options;
  await using draft = await makeDraftFolder(place.base);
  const passwordFile = join(draft.path, 'password');
  const data = join(draft.path, 'data');
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  if (place.account !== undefined) {
    for (const path of [draft.path, passwordFile, data])
      await chown(path, place.account.uid, place.account.gid);
  }
  await runInitdb({ ...options, data, passwordFile });
  try {
    await rename(data, place.clusterFolder);
  } catch (error) {
    // A second server that started at the same instant was first, with the same password.
    if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error;
    if (!(await isThere(place.clusterFolder))) throw error;
  }
}

async function runInitdb(
  options: ClusterOptions & { readonly data: string; readonly passwordFile: string },
): Promise<void> {
  const { account, logPath } = options.place;
  const args = ['-D', options.data, '-U', databaseUser, `--pwfile=${options.passwordFile}`];
  // The collation is PostgreSQL's own: no update of the machine's libraries changes an index's order.
  args.push('-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--locale-provider=builtin');
  args.push('--builtin-locale=C.UTF-8', '--no-instructions');
  if (!options.isDurable) args.push('--no-sync');
  const program = programPath(options.native, 'initdb');
  try {
    await promisify(execFile)(program, args, {
      cwd: options.place.base,
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      timeout: initdbWithinMs,
      signal: options.signal,
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    });
  } catch (error) {
    options.signal.throwIfAborted();
    const output = String((error as { stderr?: unknown }).stderr ?? '');
    const message = error instanceof Error ? error.message : String(error);
    await appendFile(logPath, `initdb: ${message}\n${output}\n`, { mode: 0o600 });
    throw new StartProblem(
      `the database could not be made: ${explainFailure(error, program, output)} (log: ${logPath})`,
      { cause: error },
    );
  }
}

function explainFailure(error: unknown, program: string, output: string): string {
  // The file is there: what is missing is the loader that it names.
  if (isSystemError(error, 'ENOENT')) return `${program} does not run on this system, which has no glibc`;
  return output.trim() === '' && error instanceof Error ? error.message : meaningfulLine(output.split('\n'));
}
