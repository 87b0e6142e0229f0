// The version before this checkout: that of the newest tag, or the last commit that changed the baseline while there is none.
// Its checkout is installed from its own lock file, and kept in a cache.

import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exists } from '../../packages/server/src/runtime/files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const baseline = 'packages/server/src/store/migrations/0001_baseline.sql';

/** Not below a node_modules folder, where Node.js runs no TypeScript. */
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'opentill-upgrade');

const run = promisify(execFile);
const git = async (...args: readonly string[]) => (await run('git', args, { cwd: root })).stdout.trim();

export interface FormerVersion {
  readonly commit: string;
  /** Its server program. */
  readonly program: string;
  /** Its command line. */
  readonly commandLine: string;
}

export async function installFormerVersion(): Promise<FormerVersion> {
  if ((await git('rev-parse', '--is-shallow-repository')) === 'true') {
    throw new Error(
      'This clone is shallow, and the former version is in its history: run git fetch --unshallow.',
    );
  }
  const tags = await git('tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-version:refname');
  const [newest = ''] = tags.split('\n', 1);
  const of = newest === '' ? ['--', baseline] : [newest];
  const commit = await git('log', '-1', '--format=%H', ...of);
  const folder = join(cache, commit);
  if (!(await exists(folder))) await install(commit, folder);
  const programIn = (workspace: string) => join(folder, 'packages', workspace, 'bin/opentill.cjs');
  return { commit, program: programIn('server'), commandLine: programIn('cli') };
}

/** The folder has its name only when it is complete. */
async function install(commit: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const installing = `${folder}.installing`;
  await rm(installing, { recursive: true, force: true });
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', installing, commit);
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: installing });
  await rename(installing, folder);
  await git('worktree', 'repair', folder);
}
