// A tree of the PostgreSQL programs of our own, for an account that cannot use the installed one:
// hard links where these do, which take no room and a few milliseconds, else copies.

import { chmod, constants, copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from '../runtime/system-errors.ts';
import { makeDraftFolder } from './draft-folders.ts';
import { type LibraryLink, makeLibraryLinks } from './library-links.ts';

/** Static libraries and build files: never loaded by a running PostgreSQL. */
const unneeded = /\.a$|^pkgconfig$|^pgxs$/;

/** Makes `to` a runnable tree of `from`, at once or not at all; another maker at the same time is fine. */
export async function copyBinaries(options: {
  from: string;
  to: string;
  links: LibraryLink[];
}): Promise<void> {
  const parent = dirname(options.to);
  await using draft = await makeDraftFolder(parent);
  const tree = join(draft.path, 'tree');
  await makeFolder(draft.path);
  await makeFolder(tree);
  for (const part of ['bin', 'lib', 'share']) await copyTree(join(options.from, part), join(tree, part));
  await makeLibraryLinks(tree, options.links);
  try {
    await rename(tree, options.to);
  } catch (error) {
    if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/** Open to every account whatever the umask. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

/** Removes the trees of other versions than the one in use. For the holder of the folder's lock alone. */
export async function removeUnusedCopies(parent: string, native: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (name.startsWith('binaries-') && path !== native) await rm(path, { recursive: true, force: true });
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await makeFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (unneeded.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile()) await copyOne(source, target, basename(from) === 'bin' ? 0o755 : 0o644);
  }
}

async function copyOne(source: string, target: string, mode: number): Promise<void> {
  // A hard link shares the permissions: only where they are enough for any account.
  if (((await stat(source)).mode & mode) === mode) {
    try {
      await link(source, target);
      return;
    } catch (error) {
      // Another file system, one without links, a file too often linked, or one of another user.
      if (!isSystemError(error, 'EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'ENOSYS')) throw error;
    }
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, mode);
}
