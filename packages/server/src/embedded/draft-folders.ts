// Folders in which something is made before it is renamed into place, so that a kill in its midst
// leaves nothing half-made. Their names carry the maker's process id: what a dead maker left is removed.

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './processes.ts';

const prefix = '.draft-';

/** Two starts in one process share its id: what either of them is making is no leftover. */
const inTheMaking = new Set<string>();

interface DraftFolder extends AsyncDisposable {
  readonly path: string;
}

export async function makeDraftFolder(parent: string): Promise<DraftFolder> {
  const path = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  inTheMaking.add(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await removeFolder(path);
      inTheMaking.delete(path);
    },
  };
}

export async function removeAbandonedDrafts(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (!name.startsWith(prefix) || inTheMaking.has(path)) continue;
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    if (maker === process.pid || !isAlive(maker)) await removeFolder(path);
  }
}

/** An initdb that outlived its server by a moment may still be writing: rm tries again meanwhile. */
async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
