// Where everything of one bundled PostgreSQL lies, and whether the data folder can be used at all.

import { createHash } from 'node:crypto';
import { access, chmod, constants, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncFolder } from '../runtime/durable-file.ts';
import { makeFolder } from '../runtime/folders.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { type Account, findOwner, isRoot, requireUnprivilegedAccount } from './account.ts';
import { explainRefusal } from './explained-refusals.ts';
import { shortTemporaryFolder } from './socket-folder.ts';

/** Where the data lies when root starts the server: readable to the account that runs PostgreSQL. */
export const rootHome = '/var/lib/opentill';

export interface Place {
  /** The operator's folder: password, mark, log, note. */
  readonly dataFolder: string;
  /** Where PostgreSQL's own folders lie: the data folder, or below rootHome for root. */
  readonly base: string;
  readonly clusterFolder: string;
  readonly passwordPath: string;
  /** There once the cluster was made: without its cluster, such a data folder is not whole. */
  readonly markPath: string;
  readonly logPath: string;
  /** Names the socket folder in use: for the next start, and for an operator's psql. */
  readonly socketNotePath: string;
  /** Where the socket folder of each start is made: its path must stay far below 100 bytes. */
  readonly socketParent: string;
  /** Who runs PostgreSQL, undefined for the account that the server itself runs as. */
  readonly account: Account | undefined;
}

/** Finds out where things lie, making the folders that are missing. A folder of no use is a StartProblem. */
export async function preparePlace(path: string): Promise<Place> {
  await explainRefusal(`the data folder ${resolve(path)} cannot be used`, () =>
    makeFolder(resolve(path), 0o700),
  );
  const place = await findPlace(path);
  if (!isRoot()) return place;
  await explainRefusal(
    `cannot make ${place.base}, where PostgreSQL's data lies when root starts OpenTill`,
    async () => {
      await makeFolder(place.base, 0o755);
      // Whatever the umask: the account that runs PostgreSQL passes through both.
      for (const folder of [rootHome, place.base]) await chmod(folder, 0o755);
    },
  );
  return place;
}

/** Finds out where the things of a data folder lie that is there, and makes nothing. */
export async function findPlace(path: string): Promise<Place> {
  const dataFolder = await usableFolder(resolve(path));
  const inside = {
    dataFolder,
    passwordPath: join(dataFolder, 'postgres.password'),
    markPath: join(dataFolder, 'postgres.made'),
    logPath: join(dataFolder, 'postgres.log'),
    socketNotePath: join(dataFolder, 'postgres.socket'),
  };
  const ownCluster = join(dataFolder, 'postgres');
  if (!isRoot()) {
    return {
      ...inside,
      base: dataFolder,
      clusterFolder: ownCluster,
      socketParent: shortTemporaryFolder(),
      account: undefined,
    };
  }
  // A folder that an ordinary user's server filled keeps its data: root runs it as that user.
  const userOfFolder = await findOwner(ownCluster);
  const base = rootBase(dataFolder);
  if (userOfFolder !== undefined) {
    return { ...inside, base, clusterFolder: ownCluster, socketParent: base, account: userOfFolder };
  }
  const clusterFolder = join(base, 'postgres');
  const account = (await findOwner(clusterFolder)) ?? (await requireUnprivilegedAccount());
  return { ...inside, base, clusterFolder, socketParent: base, account };
}

function rootBase(dataFolder: string): string {
  return join(rootHome, createHash('sha256').update(dataFolder).digest('hex').slice(0, 16));
}

async function usableFolder(path: string): Promise<string> {
  return await explainRefusal(`the data folder ${path} cannot be used`, async () => {
    if (!(await stat(path)).isDirectory()) throw new StartProblem(`the data folder ${path} is not a folder`);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  });
}

/**
 * Tells a reader of the data folder where the data is when it lies elsewhere. A data folder without
 * both note and password was made anew at the path of a removed one: what that one left below
 * rootHome belongs to nobody's keys any more, so it is set aside (never deleted) and a fresh start made.
 */
export async function noteWhereDataLies(place: Place): Promise<void> {
  if (place.base === place.dataFolder || place.clusterFolder.startsWith(place.dataFolder)) return;
  const noted = await notedCluster(place);
  if (noted === place.clusterFolder) return;
  if (noted === undefined && !(await isThere(place.passwordPath))) await setAside(place);
  await writeFile(
    noteOf(place),
    `${place.clusterFolder}\n\nOpenTill was started by root, as whom PostgreSQL does not run. The database of this\n` +
      `data folder lies in the folder above and is run by another account: back it up and remove it there.\n`,
    { mode: 0o600 },
  );
  await syncFolder(place.dataFolder);
}

const noteOf = ({ dataFolder }: Pick<Place, 'dataFolder'>): string => join(dataFolder, 'postgres.location');

/** The cluster of a data folder that lies elsewhere, as the note in it says. */
export async function notedCluster(place: Pick<Place, 'dataFolder'>): Promise<string | undefined> {
  const note = noteOf(place);
  if (!(await isThere(note))) return undefined;
  const text = await explainRefusal(`cannot read ${note}`, () => readFile(note, 'utf8'));
  return text.split('\n', 1)[0];
}

/** More leftovers of removed data folders than this at one path ask for the operator's eye. */
const setAsideMax = 100;

async function setAside(place: Place): Promise<void> {
  for (let number = 1; number <= setAsideMax; number += 1) {
    try {
      const target = `${place.clusterFolder}.set-aside-${number}`;
      if (await isThere(target)) continue;
      await rename(place.clusterFolder, target);
      return;
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return;
      throw error;
    }
  }
  throw new StartProblem(`${place.base} holds the data of ${setAsideMax} removed data folders: remove some`);
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
