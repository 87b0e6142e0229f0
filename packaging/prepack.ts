// Runs before `npm pack` of a workspace, in its folder: writes JavaScript and declarations into dist/, and replaces the
// entries of package.json for the checkout by those for the package (docs/decisions/packages.md).

import { execFileSync } from 'node:child_process';
import { cp, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { clientCalls } from './client-calls.ts';
import { clientDeclarations } from './client-declarations.ts';
import { copyPlainFiles } from './plain-files.ts';

const workspace = process.cwd();
const root = join(import.meta.dirname, '..');
const dist = join(workspace, 'dist');

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  publishConfig?: Record<string, unknown>;
  devDependencies?: unknown;
  scripts?: unknown;
}

async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8')) as Manifest;
}

/** Compiles a workspace with its imports from other workspaces, and keeps only the output of the workspace. */
async function compile(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const out = await mkdtemp(join(tmpdir(), 'opentill-pack-'));
  stack.defer(() => rm(out, { recursive: true }));
  const project = join(workspace, 'tsconfig.pack.json');
  stack.defer(() => rm(project));
  // Only the programs of the package are copied from bin/; the others are for the checkout.
  const { bin = {} } = await readManifest();
  const settings = {
    extends: '../../tsconfig.json',
    // `npm run check` has checked the types.
    compilerOptions: {
      ...{ noEmit: false, noCheck: true, declaration: true, rewriteRelativeImportExtensions: true },
      ...{ rootDir: '../..', outDir: out },
    },
    include: ['src', ...Object.values(bin)],
  };
  await writeFile(project, JSON.stringify(settings));
  const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
  const program = join(dirname(tsc), 'bin/tsc');
  execFileSync(process.execPath, [program, '-p', project], { cwd: root, stdio: ['ignore', 2, 2] });
  await cp(join(out, 'packages', basename(workspace)), dist, { recursive: true });
}

/** Converts what tsc does not: specifiers in declarations, plain JavaScript programs, and SQL files. */
async function complete(): Promise<void> {
  for await (const file of glob('**/*.d.ts', { cwd: dist })) {
    const path = join(dist, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(/((?:from|import\() ?')(\.[^']+)\.ts'/g, "$1$2.js'"));
  }
  await copyPlainFiles(workspace, dist);
}

/** Writes out what the client takes from the contract, because its users do not have it. */
async function writeOutContract(): Promise<void> {
  await writeFile(join(dist, 'src/contract-types.d.ts'), clientDeclarations());
  await writeFile(join(dist, 'src/operation-calls.js'), await clientCalls());
  await rm(join(dist, 'src/operation-calls.d.ts'));
}

/** Loaded on use, because the other workspaces do not need it. */
async function writeOpenApi(): Promise<void> {
  const { openApiDocument } = await import('./reference/document.ts');
  await writeFile(
    join(dist, 'openapi.json'),
    `${JSON.stringify(openApiDocument('everyone'), undefined, 2)}\n`,
  );
}

function buildConsole(): void {
  execFileSync(process.execPath, [join(workspace, 'bin/build.ts')], { stdio: ['ignore', 2, 2] });
}

/** The repository of a build on GitHub, without which npm accepts no provenance. */
function repository(): object {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (server === undefined || name === undefined) return {};
  const directory = `packages/${basename(workspace)}`;
  return { repository: { type: 'git', url: `git+${server}/${name}.git`, directory } };
}

async function describePackage(): Promise<void> {
  const path = join(workspace, 'package.json');
  const { publishConfig, devDependencies: _, scripts: __, ...rest } = await readManifest();
  const packed = { ...rest, ...repository(), ...publishConfig, files: ['dist'] };
  await rename(path, join(workspace, 'package.json.checkout'));
  await writeFile(path, `${JSON.stringify(packed, undefined, 2)}\n`);
}

// The console of the checkout stays what it is, or is replaced by a newer one.
if (basename(workspace) === 'console') buildConsole();
else {
  await rm(dist, { recursive: true, force: true });
  await compile();
  await complete();
}
if (basename(workspace) === 'client') await writeOutContract();
if (basename(workspace) === 'contract') await writeOpenApi();
// Every copy must include the license.
await cp(join(root, 'LICENSE'), join(workspace, 'LICENSE'));
await describePackage();
