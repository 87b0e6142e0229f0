// Secrets in the data folder: files of mode 0600, which the first start creates and later starts read.

import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileOnce, makeFolder } from '../runtime/files.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** The permissions of all accounts but the owner. */
const othersMode = 0o077;

/** All secret files of a data folder. */
const secretFileNames = ['operator.key', 'token.keys', 'demo-client.secret', 'postgres.password'];

/**
 * Returns the text of a secret file. A missing one is created atomically with the text of `make`; servers that start
 * at the same time all get the text of the first one.
 */
export async function secretFile(folder: string, name: string, make: () => string): Promise<string> {
  const path = join(folder, name);
  try {
    const known = await findSecretFile(folder, name);
    if (known === undefined) await createFileOnce(path, `${make()}\n`);
    const text = known ?? (await findSecretFile(folder, name));
    if (text !== undefined && text !== '') return text;
  } catch (error) {
    throw new StartProblem(`The file ${path} cannot be read or created: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  throw new StartProblem(`The file ${path} is empty: restore its text, or remove the file to get a new one.`);
}

/** Returns the text of a secret file, or undefined if it does not exist. */
export async function findSecretFile(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), 'utf8').then((text) => text.trim(), ifMissing);
}

interface OpenSecretFiles {
  /** Files that other accounts could read before this call. */
  readonly closed: readonly string[];
  /** Files that other accounts can still read, because they belong to another account or a read-only file system. */
  readonly left: readonly string[];
}

/** Removes the permissions of other accounts on the secret files of a folder (docs/decisions/database.md). */
export async function closeSecretFiles(folder: string): Promise<OpenSecretFiles> {
  const closed: string[] = [];
  const left: string[] = [];
  for (const name of await openSecretFiles(folder)) {
    const isClosed = await chmod(join(folder, name), ownerOnly).then(() => true, ifNotPermitted);
    (isClosed ? closed : left).push(name);
  }
  return { closed, left };
}

/** The names of the secret files in a folder that are open to other accounts. */
export async function openSecretFiles(folder: string): Promise<string[]> {
  const areOpen = await Promise.all(secretFileNames.map((name) => isOpenToOthers(join(folder, name))));
  return secretFileNames.filter((_, index) => areOpen[index]);
}

/** Whether a mode gives other accounts any permission; always false on Windows, which has no such modes. */
export function isOpenMode(mode: number): boolean {
  return process.platform !== 'win32' && (mode & othersMode) !== 0;
}

/** False for a file that cannot be checked: reading it reports the problem. */
async function isOpenToOthers(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return undefined;
    throw error;
  });
  return found?.isFile() === true && isOpenMode(found.mode);
}

function ifNotPermitted(error: unknown): false {
  if (isSystemError(error, 'EPERM', 'EROFS')) return false;
  throw error;
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (isSystemError(error, 'ENOENT')) return undefined;
  throw error;
}

/** Creates the folder, readable only for its owner, unless it exists. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, ownerOnlyFolder);
  } catch (error) {
    throw new StartProblem(`The data folder ${folder} cannot be created: ${(error as Error).message}.`);
  }
}
