// The workspaces as somebody gets them: packed from a copy of the checkout, and installed in a folder that has
// nothing of it.

import { execFile } from 'node:child_process';
import { cp, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isThere } from '../../server/src/embedded/place.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The pinned Node.js and the programs of the checkout. */
const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`, HOME: process.env['HOME'] };

/** A copy with the sources alone, so that packing changes nothing under the feet of other tests. */
async function copyCheckout(to: string, workspaces: readonly string[]): Promise<void> {
  await mkdir(join(to, 'node_modules/@opentill'), { recursive: true });
  for (const part of ['package.json', 'tsconfig.json', 'packaging']) {
    await cp(join(root, part), join(to, part), { recursive: true });
  }
  for (const workspace of workspaces) {
    const parts = (await readdir(join(root, 'packages', workspace))).filter((part) => part !== 'test');
    for (const part of parts) {
      const path = join('packages', workspace, part);
      await cp(join(root, path), join(to, path), { recursive: true });
    }
    await symlink(join(to, 'packages', workspace), join(to, 'node_modules/@opentill', workspace));
  }
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@opentill') await symlink(join(root, 'node_modules', name), join(to, 'node_modules', name));
  }
}

/** Packs each workspace; gives the paths of the packed files. */
export async function packWorkspaces(folder: string, workspaces: readonly string[]): Promise<string[]> {
  const checkout = join(folder, 'checkout');
  await copyCheckout(checkout, workspaces);
  const pack = async (workspace: string) => {
    const cwd = join(checkout, 'packages', workspace);
    await run('npm', ['pack', '--pack-destination', folder], { cwd, env });
  };
  await Promise.all(workspaces.map(pack));
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith('.tgz')).map((file) => join(folder, file));
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Where a package finds another one; undefined for an optional one of another platform. */
async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; folder.startsWith(root.slice(0, -1)); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (await isThere(path)) return path;
  }
  return undefined;
}

/** The folders of what a package needs of others, and those of what they need. */
async function collect(from: string, found: Set<string>): Promise<void> {
  const { dependencies, optionalDependencies } = await readManifest(from);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const path = name.startsWith('@opentill/') ? undefined : await findPackage(name, from);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    await collect(path, found);
  }
}

async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === 'node_modules') continue;
    if (entry.isDirectory()) await linkTree(source, target);
    // Another file system takes no links.
    else if (entry.isFile()) await link(source, target).catch(() => cp(source, target));
  }
}

/** A package that only one of ours needs in its version lies inside that one. */
function installedAt(path: string): string {
  return path.replace(/^packages\/(\w+)\//, 'node_modules/@opentill/$1/');
}

/**
 * Installs packed files in an empty folder. The packages of others, which npm would fetch, are those of the
 * checkout, so that no network is needed.
 */
export async function installPacked(folder: string, packed: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules');
  const needed = new Set<string>();
  for (const file of packed) {
    const name = basename(file).replace(/^opentill-(\w+)-.*/, '$1');
    await collect(join(root, 'packages', name), needed);
    const target = join(modules, '@opentill', name);
    await mkdir(target, { recursive: true });
    await run('tar', ['-xzf', file, '--strip-components=1', '-C', target]);
  }
  for (const path of needed) await linkTree(path, join(folder, installedAt(relative(root, path))));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
}
