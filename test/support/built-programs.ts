// Bundles the programs for the tests into a few files. In the checkout they have about 1,600 with their libraries, and most
// of the time of a start is spent on reading those.

import { chmod, cp, glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyPlainFiles } from '../../packaging/plain-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The variable with the folder of the programs, for processes that the tests start. */
const variable = 'OPENTILL_TEST_PROGRAMS';

/** Each has the same relative path as in the checkout; a watcher is even recognized by its folder. */
const entries = [
  'packages/server/src/program/main',
  'packages/server/src/embedded/watcher',
  'packages/cli/src/main',
  'packages/server/test/renewals/renewing-program',
] as const;

/** Shared code is next to the watcher, together with the files that it reads. */
const modules = 'packages/server/src/embedded';

/** Builds the programs for this process, and for processes that it starts from now on. */
export async function buildPrograms(): Promise<AsyncDisposable> {
  const caches = join(root, 'node_modules/.cache');
  await mkdir(caches, { recursive: true });
  const folder = await mkdtemp(join(caches, 'opentill-programs-'));
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rm(folder, { recursive: true, maxRetries: 5 }));
  // Readable for everyone like the checkout, because some tests run as another user.
  await chmod(folder, 0o755);
  await using bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(root, `${name}.ts`)])),
    platform: 'node',
  });
  await bundle.write({ dir: folder, format: 'esm', chunkFileNames: `${modules}/[name]-[hash].js` });
  for (const workspace of ['packages/server', 'packages/cli']) {
    await copyPlainFiles(join(root, workspace), join(folder, workspace));
    await cp(join(root, workspace, 'package.json'), join(folder, workspace, 'package.json'));
  }
  await rename(
    join(folder, 'packages/server/src/store/migrations'),
    join(folder, 'packages/server/src/migrations'),
  );
  process.env[variable] = folder;
  starting.defer(() => void delete process.env[variable]);
  return starting.move();
}

interface NextVersion extends AsyncDisposable {
  /** Its server program. */
  readonly program: string;
  /** Its command line. */
  readonly commandLine: string;
}

/**
 * Copies the built programs and adds migrations, each as its name and its SQL: a version that follows the present one. `calls`
 * renames the functions of the database that its statements call.
 */
export async function buildNextVersion(
  migrations: Readonly<Record<string, string>>,
  calls: Readonly<Record<string, string>> = {},
): Promise<NextVersion> {
  const folder = await mkdtemp(`${builtFolder()}-next-`);
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rm(folder, { recursive: true, maxRetries: 5 }));
  await cp(builtFolder(), folder, { recursive: true });
  for (const [name, text] of Object.entries(migrations)) {
    await writeFile(join(folder, 'packages/server/src/migrations', `${name}.sql`), text);
  }
  for (const [former, name] of Object.entries(calls)) await renameIn(folder, former, name);
  const built = starting.move();
  return {
    program: programIn(folder, 'server'),
    commandLine: programIn(folder, 'cli'),
    [Symbol.asyncDispose]: () => built.disposeAsync(),
  };
}

async function renameIn(folder: string, former: string, name: string): Promise<void> {
  for await (const path of glob(join(folder, 'packages/**/*.js'))) {
    const text = await readFile(path, 'utf8');
    if (text.includes(former)) await writeFile(path, text.replaceAll(former, name));
  }
}

type Workspace = 'server' | 'cli';

export const checkoutProgram = (workspace: Workspace): string => programIn(root, workspace);

/** The program that was built for this run, or that of the checkout. */
export const builtProgram = (workspace: Workspace): string => programIn(builtFolder(), workspace);

/** A program of the tests, by its path in the checkout without the extension. */
export const builtTestProgram = (path: (typeof entries)[number]): string => join(builtFolder(), `${path}.js`);

/** The environment of built programs, which share a compile cache that is removed after the run. */
export function builtProgramEnv(): Readonly<Record<string, string>> {
  return builtFolder() === root ? {} : { NODE_COMPILE_CACHE: join(builtFolder(), 'compiled') };
}

const builtFolder = (): string => process.env[variable] ?? root;
const programIn = (folder: string, workspace: Workspace): string =>
  join(folder, 'packages', workspace, 'bin/opentill.cjs');
