// Where the files of one bundled PostgreSQL are stored, and which account runs it. PostgreSQL refuses to run as root,
// so root uses an account and a folder that the account can reach.

import { createHash } from 'node:crypto';
import { access, chmod, constants, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exists, makeFolder } from '../runtime/files.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { explainSystemError, StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';

/** Stores the data of all servers that root starts. */
export const rootHome = '/var/lib/opentill';

/** In order of preference; initdb looks its account up, so the account must exist. */
const accountNames = ['postgres', 'nobody'];

/** A socket's path must be shorter than about 100 bytes; this leaves room for the names below the folder. */
const socketParentBytesMax = 64;

/** Names in `base` that belong to one start or to one version. */
export const draftPrefix = '.draft-';
const temporaryNames = /^(?:\.draft-\w{6}|binaries-\d.*|opentill-[0-9a-f]{12})$/;

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface DataFolder {
  /** The operator's folder. */
  readonly path: string;
  /** Contains PostgreSQL's own folders: equal to `path`, or below rootHome for root. */
  readonly base: string;
  readonly clusterFolder: string;
  readonly passwordPath: string;
  /** Names the cluster's folder once the cluster was created. */
  readonly locationPath: string;
  readonly logPath: string;
  /** The parent of the socket's folder. */
  readonly socketParent: string;
  /** Runs PostgreSQL; undefined for the server's own account. */
  readonly account: Account | undefined;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Creates the missing folders of a data folder. Throws a StartProblem if it cannot be used. */
export async function prepareDataFolder(path: string): Promise<DataFolder> {
  await explainSystemError(`the data folder ${resolve(path)} cannot be used`, () =>
    makeFolder(resolve(path), 0o700),
  );
  const folder = await findDataFolder(path);
  if (isRoot()) {
    await explainSystemError(`cannot create ${folder.base} for PostgreSQL's data`, async () => {
      await makeFolder(folder.base, 0o755);
      // The account that runs PostgreSQL must reach its data whatever the umask is.
      for (const each of [rootHome, folder.base]) await chmod(each, 0o755);
    });
    await setAsideUnknownCluster(folder);
  }
  return folder;
}

/** The layout of an existing data folder. Creates nothing. */
export async function findDataFolder(path: string): Promise<DataFolder> {
  const dataFolder = await explainSystemError(`the data folder ${resolve(path)} cannot be used`, async () => {
    // With a slash at the end, a file in place of the folder is reported as such.
    await access(`${path}/`, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  });
  const files = {
    path: dataFolder,
    passwordPath: join(dataFolder, 'postgres.password'),
    locationPath: join(dataFolder, 'postgres.location'),
    logPath: join(dataFolder, 'postgres.log'),
  };
  const ownCluster = join(dataFolder, 'postgres');
  if (!isRoot()) {
    const socketParent = Buffer.byteLength(tmpdir()) <= socketParentBytesMax ? tmpdir() : '/tmp';
    return { ...files, base: dataFolder, clusterFolder: ownCluster, socketParent, account: undefined };
  }
  const base = join(rootHome, createHash('sha256').update(dataFolder).digest('hex').slice(0, 16));
  // Root runs the cluster of an ordinary user in place, as that user.
  const owner = await findUnprivilegedOwner(ownCluster);
  if (owner !== undefined) {
    return { ...files, base, clusterFolder: ownCluster, socketParent: base, account: owner };
  }
  const clusterFolder = join(base, 'postgres');
  const account = (await findUnprivilegedOwner(clusterFolder)) ?? (await requireUnprivilegedAccount());
  return { ...files, base, clusterFolder, socketParent: base, account };
}

async function findUnprivilegedOwner(folder: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(folder);
    return uid === 0 ? undefined : { uid, gid };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The account that runs PostgreSQL for root. Throws a StartProblem if the machine has none. */
export async function requireUnprivilegedAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of accountNames) {
    const [, , uid, gid] = lines.find((fields) => fields[0] === name) ?? [];
    if (Number(uid) > 0 && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new StartProblem(
    "PostgreSQL does not run as root, and this machine has neither an account 'postgres' nor 'nobody': " +
      'run OpenTill as an ordinary user, or set DATABASE_URL',
  );
}

/** The folder in which the cluster was created; undefined before the first start has created one. */
export async function readLocation({ locationPath }: DataFolder): Promise<string | undefined> {
  if (!(await exists(locationPath))) return undefined;
  const text = await explainSystemError(`cannot read ${locationPath}`, () => readFile(locationPath, 'utf8'));
  return text.split('\n', 1)[0];
}

/** Renames the cluster of a data folder that was removed and created again: its password is lost. */
async function setAsideUnknownCluster(folder: DataFolder): Promise<void> {
  const { base, clusterFolder } = folder;
  if (!clusterFolder.startsWith(base) || !(await exists(clusterFolder))) return;
  if ((await exists(folder.locationPath)) || (await exists(folder.passwordPath))) return;
  const suffix = secureRandomness.bytes(4).toString('hex');
  await rename(clusterFolder, `${clusterFolder}.set-aside-${suffix}`);
}

/** Removes what killed starts and older versions left in `base`. Only the holder of the server lock may do this. */
export async function removeLeftovers({ base }: DataFolder, inUse: readonly string[]): Promise<void> {
  for (const name of await readdir(base)) {
    const path = join(base, name);
    if (!temporaryNames.test(name) || inUse.includes(path)) continue;
    // An initdb that outlives its server by a moment may still create files.
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}
