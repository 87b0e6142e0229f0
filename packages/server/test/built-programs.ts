// The programs as most tests start them: a few files. In the checkout they are some 1,600 with their libraries, and a
// start takes most of its time to find and to read those. How the checkout itself starts has tests of its own
// (start/life-cycle.test.ts, documents).

import { chmod, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { copyPlainFiles } from '../../../packaging/plain-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Names the folder of the programs to whatever the tests start. */
const variable = 'OPENTILL_TEST_PROGRAMS';

/** Each lies where it lies in the checkout: a watcher is even recognised by its folder. */
const entries = [
  'packages/server/src/main',
  'packages/server/src/embedded/watcher',
  'packages/cli/src/main',
  'packages/server/test/renewals/renewing-program',
] as const;

/** What they share lies beside the watcher, and beside it what it reads. */
const modules = 'packages/server/src/embedded';

/** Builds them for this process, and for all that it starts from now on. */
export async function buildPrograms(): Promise<AsyncDisposable> {
  const caches = join(root, 'node_modules/.cache');
  await mkdir(caches, { recursive: true });
  const folder = await mkdtemp(join(caches, 'opentill-programs-'));
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rm(folder, { recursive: true, maxRetries: 5 }));
  // As open as the checkout is: some tests are another user.
  await chmod(folder, 0o755);
  await using bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(root, `${name}.ts`)])),
    platform: 'node',
    // It reads files that lie beside it.
    external: '@fastify/swagger-ui',
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
  const built = starting.move();
  return {
    async [Symbol.asyncDispose]() {
      delete process.env[variable];
      await built.disposeAsync();
    },
  };
}

type Workspace = 'server' | 'cli';

export const checkoutProgram = (workspace: Workspace): string => programIn(root, workspace);

/** The program as it was built for this run; that of the checkout where nothing was. */
export const builtProgram = (workspace: Workspace): string => programIn(builtFolder(), workspace);

/** A program of the tests' own, by its path in the checkout without the ending. */
export const builtTestProgram = (path: (typeof entries)[number]): string => join(builtFolder(), `${path}.js`);

/** What a built program has in its environment, so that what one compiles is there for the next and gone after the run. */
export function builtProgramEnv(): Readonly<Record<string, string>> {
  return builtFolder() === root ? {} : { NODE_COMPILE_CACHE: join(builtFolder(), 'compiled') };
}

const builtFolder = (): string => process.env[variable] ?? root;
const programIn = (folder: string, workspace: Workspace): string =>
  join(folder, 'packages', workspace, 'bin/opentill.cjs');
