// Packs all workspaces of a checkout, for a release and for the tests of the packages.

import { execFile } from 'node:child_process';
import { glob, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

export interface PackedFile {
  readonly name: string;
  readonly filename: string;
  readonly integrity: string;
}

/** Packs one workspace after another, because the others cannot import a workspace that is being packed. */
export async function packWorkspaces(checkout: string, to: string, env = process.env): Promise<PackedFile[]> {
  const args = ['pack', '--workspaces', '--json', '--pack-destination', to];
  try {
    const { stdout } = await promisify(execFile)('npm', args, { cwd: checkout, env });
    // The output of the packages' scripts precedes it.
    return Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]$/m))) as object);
  } finally {
    // npm does not run postpack if it fails or is interrupted.
    for await (const workspace of glob('packages/*', { cwd: checkout })) {
      await restoreWorkspace(join(checkout, workspace));
    }
  }
}

/** Undoes the changes of prepack.ts to a workspace. The built console stays: the checkout serves it. */
export async function restoreWorkspace(workspace: string): Promise<void> {
  const manifest = join(workspace, 'package.json');
  await rename(`${manifest}.checkout`, manifest).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const dist = basename(workspace) === 'console' ? [] : ['dist'];
  for (const made of ['LICENSE', 'tsconfig.pack.json', ...dist]) {
    await rm(join(workspace, made), { recursive: true, force: true });
  }
}
