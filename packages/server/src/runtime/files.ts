// Files and folders that must be complete, and still there after a power loss. Knows nothing about their contents.

import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { secureRandomness } from './randomness.ts';
import { isSystemError } from './system-errors.ts';

/** The random part of a draft's name, so that two processes never write the same draft. */
const draftNameBytes = 8;

/** Whether a file or folder exists. Throws if the path cannot be checked. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}

/**
 * Creates a folder and its missing parents, one by one: the recursive mkdir of Node.js never returns where no folder
 * can be created, such as below /proc.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  // With a slash at the end, a file in place of the folder is an error.
  const asFolder = `${path}/`;
  if (await exists(asFolder)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another process may have created it first.
    if (!isSystemError(error, 'EEXIST') || !(await exists(asFolder))) throw error;
  }
}

/** Makes the names in a folder durable. Windows has no handles of folders to sync. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a file of mode 0600, completely or not at all. If the file exists already, it is left unchanged. */
export async function createFileOnce(path: string, content: string): Promise<void> {
  const draft = `${path}.${secureRandomness.bytes(draftNameBytes).toString('hex')}`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Unlike a rename, a link never replaces the file of another process.
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
