// Secrets that a server with the bundled PostgreSQL makes at its first start and finds again at the next: files
// of mode 0600 in the data folder.

import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileOnce } from './runtime/durable-file.ts';
import { makeFolder } from './runtime/folders.ts';
import { StartProblem } from './runtime/start-problem.ts';
import { isSystemError } from './runtime/system-errors.ts';

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** What others than the owner may do with a file or a folder. */
const othersMode = 0o077;

/** All that a data folder keeps secret. */
const secretFileNames = ['operator.key', 'token.keys', 'demo-client.secret', 'postgres.password'];

/**
 * The text of a secret file, made with `make` if it is not there yet: whole or not there, also after a crash. Of
 * servers that start at the same time the first one's text counts for all.
 */
export async function secretFile(folder: string, name: string, make: () => string): Promise<string> {
  const path = join(folder, name);
  try {
    const known = await findSecretFile(folder, name);
    if (known === undefined) await createFileOnce(path, `${make()}\n`);
    const text = known ?? (await findSecretFile(folder, name));
    if (text !== undefined && text !== '') return text;
  } catch (error) {
    throw new StartProblem(`The file ${path} cannot be read or made: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  throw new StartProblem(`The file ${path} is empty: put its text back, or remove the file for a new one.`);
}

/** The text of a secret file, or undefined if there is none. */
export async function findSecretFile(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), 'utf8').then((text) => text.trim(), ifMissing);
}

interface OpenSecretFiles {
  /** Closed by this call: others could read them before. */
  readonly closed: readonly string[];
  /** Others can read them: they belong to somebody else, or lie where nothing can be changed. */
  readonly left: readonly string[];
}

/** Takes from others what they may do with the secret files of a folder (docs/decisions/secret-files.md). */
export async function closeSecretFiles(folder: string): Promise<OpenSecretFiles> {
  const closed: string[] = [];
  const left: string[] = [];
  for (const name of await openSecretFiles(folder)) {
    const isClosed = await chmod(join(folder, name), ownerOnly).then(() => true, ifNotOurs);
    (isClosed ? closed : left).push(name);
  }
  return { closed, left };
}

/** Names of the secret files in a folder that others than their owner may do something with. */
export async function openSecretFiles(folder: string): Promise<string[]> {
  const areOpen = await Promise.all(secretFileNames.map((name) => isOpenToOthers(join(folder, name))));
  return secretFileNames.filter((_, index) => areOpen[index]);
}

/** Of a mode as `stat` gives it; not on Windows, whose modes say nothing of other accounts. */
export function isOpenMode(mode: number): boolean {
  return process.platform !== 'win32' && (mode & othersMode) !== 0;
}

/** Only of a file that is there and can be looked at: what is wrong with another one its reading tells. */
async function isOpenToOthers(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return undefined;
    throw error;
  });
  return found?.isFile() === true && isOpenMode(found.mode);
}

function ifNotOurs(error: unknown): false {
  if (isSystemError(error, 'EPERM', 'EROFS')) return false;
  throw error;
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (isSystemError(error, 'ENOENT')) return undefined;
  throw error;
}

/** Makes the folder, readable for its owner alone, unless it is there. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, ownerOnlyFolder);
  } catch (error) {
    throw new StartProblem(`The data folder ${folder} cannot be made: ${(error as Error).message}.`);
  }
}
