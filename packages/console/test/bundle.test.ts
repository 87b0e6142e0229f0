// What the first page of the console loads.

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtFiles } from '../../server/src/program/console.ts';

const { folder } = builtFiles;
const kilobyte = 1_000;

/** The gzipped sum, in kB. */
async function sizeOf(names: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...names].map(async (name) => (await gzipped(name)).length));
  expect(sizes).not.toEqual([]);
  return sizes.reduce((sum, size) => sum + size, 0) / kilobyte;
}

/** A small file has no compressed form. */
async function gzipped(name: string): Promise<Buffer> {
  const path = join(folder, 'assets', name);
  return readFile(`${path}.gz`).catch(() => readFile(path));
}

const assets = (pattern: string): Promise<string[]> =>
  Array.fromAsync(glob(pattern, { cwd: join(folder, 'assets') }));

/** The scripts that a page cannot do without: its own, and what they import. */
async function scriptsOf(pattern: string): Promise<ReadonlySet<string>> {
  const known = new Set(await assets(pattern));
  for (const name of known) {
    const code = await readFile(join(folder, 'assets', name), 'utf8');
    for (const [, imported = ''] of code.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      known.add(imported);
  }
  return known;
}

test('the first page with its charts loads at most 190 kB of scripts in 3 files, and 40 kB of styles, compressed', async () => {
  const scripts = await scriptsOf('index-*.js');
  expect(scripts.size).toBeLessThanOrEqual(3);
  expect(await sizeOf(scripts)).toBeLessThan(190);
  expect(await sizeOf(await assets('index-*.css'))).toBeLessThan(40);
});

test('all pages together are at most 340 kB of scripts, compressed', async () => {
  expect(await sizeOf(await assets('*.js'))).toBeLessThan(340);
});
