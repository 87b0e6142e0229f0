// Small files that must be whole and still there after a power loss. Knows nothing of what they say.

import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { secureRandomness } from './randomness.ts';
import { isSystemError } from './system-errors.ts';

/** Of the name of a draft, which no other process has drawn. */
const draftNameBytes = 8;

/** Makes the names in a folder durable. Windows keeps no folder handles to sync, and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file of mode 0600 that appears whole or not at all, and returns whether this call made it:
 * false says that another process was first, and its content stands.
 */
export async function createFileOnce(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${secureRandomness.bytes(draftNameBytes).toString('hex')}`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link fails where a rename would replace: the first of two servers decides.
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
