// npm run build: builds the console into dist/, and the reference of the APIs into dist/reference, unless the stamp says that
// they were built from the same files. The result appears at once, so that a server can serve dist/ at any time.

import { createHash } from 'node:crypto';
import { chmod, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { constants as osConstants, setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { packageFolder, viteSettings } from './vite-settings.ts';

const dist = join(packageFolder, 'dist');
const stampName = '.stamp';

/** The files that determine the result, relative to the package. */
const inputs = [
  'bin/*.ts',
  'index.html',
  'package.json',
  'src/**/*',
  '../client/src/*.ts',
  '../contract/src/**/*.ts',
  '../../packaging/client-calls.ts',
  '../../packaging/reference/*',
  '../../docs/*.md',
  '../../package-lock.json',
];

/** Smaller files do not become smaller. */
const gzippedBytesMin = 1_024;

async function stampOfInputs(): Promise<string> {
  const paths = await Array.fromAsync(
    glob(inputs, { cwd: packageFolder, exclude: (path) => path === 'dist' }),
  );
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    const content = await readFile(join(packageFolder, path)).catch(ifFolder);
    if (content !== undefined) hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function ifFolder(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EISDIR') throw error;
}

async function compress(folder: string): Promise<void> {
  for await (const path of glob('{assets,reference/**}/*.{js,css,svg,html,json}', { cwd: folder })) {
    const content = await readFile(join(folder, path));
    if (content.length < gzippedBytesMin) continue;
    const compressed = await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION });
    await writeFile(join(folder, `${path}.gz`), compressed);
  }
}

async function build(stamp: string): Promise<void> {
  // A PostgreSQL that starts at the same time goes first. On a busy machine an even lower priority would wait for minutes,
  // and so would the check above at this one.
  setPriority(osConstants.priority.PRIORITY_BELOW_NORMAL);
  // If the build fails, a server must not serve the previous one.
  await rm(dist, { recursive: true, force: true });
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(packageFolder, 'dist-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // React would build for development in any other environment, such as that of tests.
  process.env['NODE_ENV'] = 'production';
  // Loaded only now, because most starts find the console built.
  const { build: buildWithVite } = await import('vite');
  const { build } = viteSettings;
  await buildWithVite({
    ...viteSettings,
    logLevel: 'warn',
    build: { ...build, outDir: folder, emptyOutDir: true },
  });
  const { writeReference } = await import('../../../packaging/reference/write-reference.ts');
  await writeReference(join(folder, 'reference'));
  await compress(folder);
  await writeFile(join(folder, stampName), stamp);
  // A server may run as another account.
  await chmod(folder, 0o755);
  await rename(folder, dist);
}

const stamp = await stampOfInputs();
const known = await readFile(join(dist, stampName), 'utf8').catch(() => undefined);
if (known !== stamp) await build(stamp);
