// Where the files of one bundled PostgreSQL are stored, and which account runs it. PostgreSQL refuses to run as root,
// so root uses an account and a folder that the account can reach.

import { createHash } from 'node:crypto';
import { access, chmod, constants, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exists, makeFolder } from '../runtime/files.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { explainSystemError, StartProblem } from '../runtime/start-problem.ts';

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

/** Where the folder of PostgreSQL's socket is created, unless root starts it. */
export function socketParent(): string {
  return Buffer.byteLength(tmpdir()) <= socketParentBytesMax ? tmpdir() : '/tmp';
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
    await moveForeignClusterAway(folder);
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
  const hash = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  const base = isRoot() ? join(rootHome, hash) : dataFolder;
  const clusterFolder = join(base, 'postgres');
  return {
    path: dataFolder,
    base,
    clusterFolder,
    passwordPath: join(dataFolder, 'postgres.password'),
    locationPath: join(dataFolder, 'postgres.location'),
    logPath: join(dataFolder, 'postgres.log'),
    socketParent: isRoot() ? base : socketParent(),
    account: isRoot() ? await findAccount(clusterFolder) : undefined,
  };
}

/** The owner of an existing cluster, since the machine may have got a preferred account later. */
async function findAccount(clusterFolder: string): Promise<Account> {
  return (await exists(clusterFolder)) ? await stat(clusterFolder) : await requireUnprivilegedAccount();
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

/** Renames root's cluster of a data folder that was removed and created again: its password is lost. */
async function moveForeignClusterAway(folder: DataFolder): Promise<void> {
  const { clusterFolder, passwordPath, locationPath } = folder;
  if (!(await exists(clusterFolder)) || (await exists(passwordPath)) || (await exists(locationPath))) return;
  await rename(clusterFolder, `${clusterFolder}.foreign-${secureRandomness.bytes(4).toString('hex')}`);
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
