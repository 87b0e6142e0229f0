// node packaging/pack-all.ts <folder>: packs the workspaces into a new folder, from which `npm ci` installs them with the
// other packages in the versions of the checkout, and lists all of them. The image and the tests of the packages are made of it.

import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { componentFile, writeChecksums, writeComponents } from './component-list.ts';
import { packWorkspaces } from './pack-workspaces.ts';

const root = join(import.meta.dirname, '..');

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, object>>;
}

/** The packages of other authors in the lock of the checkout, with their paths in an installation of the packages. */
function otherPackages({ packages }: Lock): Record<string, object> {
  const ours = /^(?:|packages\/\w+|node_modules\/(?:@opentill\/\w+|opentill))$/;
  const others = Object.entries(packages)
    .filter(([path]) => !ours.test(path))
    // A version that only one workspace needs is installed inside that workspace.
    .map(([path, entry]) => [path.replace(/^packages\/(\w+)\//, 'node_modules/@opentill/$1/'), entry]);
  return Object.fromEntries(others);
}

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error('expected the folder to create');
const folder = resolve(given);
await mkdir(folder);
const packed = await packWorkspaces(root, folder);
const dependencies = Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${filename}`]));
const { version } = JSON.parse(await readFile(join(root, 'packages/server/package.json'), 'utf8'));
const manifest = { name: 'opentill-image', version, private: true, dependencies };
const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
const { lockfileVersion } = lock;
const packages = { '': manifest, ...otherPackages(lock) };
await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion, packages }));
await cp(join(root, '.npmrc'), join(folder, '.npmrc'));
await cp(join(root, 'packaging/postgresql-notices.md'), join(folder, 'postgresql-notices.md'));
// Adds the packed files, and drops what they do not need.
const install = ['install', '--package-lock-only', '--ignore-scripts'];
execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 2, 2] });
await writeComponents(root, folder);
await writeChecksums(folder, [...packed.map(({ filename }) => filename), componentFile]);
