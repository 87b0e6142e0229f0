// Secrets that a server with the bundled PostgreSQL makes at its first start and finds again at the next: files
// of mode 0600 in the data folder.

import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartProblem } from './runtime/start-problem.ts';

const ownerOnly = 0o600;

/** The text of a secret file; made with `make` if it is not there yet. Whole or not there, also after a crash. */
export async function secretFile(folder: string, name: string, make: () => string): Promise<string> {
  const path = join(folder, name);
  try {
    const known = await readFile(path, 'utf8').catch(ifMissing);
    if (known !== undefined && known !== '') return known.trim();
    const made = make();
    // A file that a crash left empty is written again; one of another server that starts now is kept.
    const file = await open(path, known === undefined ? 'wx' : 'w', ownerOnly);
    try {
      await file.writeFile(`${made}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return made;
  } catch (error) {
    throw new StartProblem(`The file ${path} cannot be read or made: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** The text of a secret file, or undefined if there is none. */
export async function findSecretFile(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), 'utf8').then((text) => text.trim(), ifMissing);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

/** Makes the folder, readable for its owner alone, unless it is there. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartProblem(`The data folder ${folder} cannot be made: ${(error as Error).message}.`);
  }
}
