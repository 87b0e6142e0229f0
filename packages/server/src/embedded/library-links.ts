// The further names of the PostgreSQL libraries, by which the programs load them. npm packs no symbolic
// links, and the script that would make them may not have run.

import { readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSystemError } from '../runtime/system-errors.ts';
import { isThere } from './place.ts';

/** Both are names in `lib`. */
export interface LibraryLink {
  readonly library: string;
  readonly link: string;
}

/** The links that the package's install script makes from this same list. */
export async function readLibraryLinks(native: string): Promise<LibraryLink[]> {
  try {
    const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
    return (listed as { source: string; target: string }[]).map(({ source, target }) => ({
      library: basename(source),
      link: basename(target),
    }));
  } catch (error) {
    // The Windows package has no links and no list.
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

export async function makeLibraryLinks(native: string, links: LibraryLink[]): Promise<void> {
  for (const { library, link } of links) {
    const path = join(native, 'lib', link);
    if (await isThere(path)) continue;
    try {
      await symlink(library, path);
    } catch (error) {
      // A second server, or npm's script, may be making the same links.
      if (!isSystemError(error, 'EEXIST')) throw error;
    }
  }
}
