// What the first page of the console loads.

import { glob, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtConsole } from '../../server/src/console-bundle.ts';

const { folder } = builtConsole;
const kilobyte = 1_000;

/** Together, gzipped, in kB. */
async function sizeOf(pattern: string): Promise<number> {
  const paths = await Array.fromAsync(glob(pattern, { cwd: join(folder, 'assets') }));
  expect(paths).not.toEqual([]);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, 'assets', path))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / kilobyte;
}

test('the first page loads at most 200 kB of scripts and 40 kB of styles, compressed', async () => {
  expect(await sizeOf('{index,overview-page}-*.js.gz')).toBeLessThan(200);
  expect(await sizeOf('index-*.css.gz')).toBeLessThan(40);
});

test('the page loads its scripts and styles from its own assets only', async () => {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const urls = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(urls).toHaveLength(2);
  for (const url of urls) expect(url).toMatch(/^\/console\/assets\/index-[\w-]+\.(?:js|css)$/);
  expect(page).not.toMatch(/<(?:script|style)>/);
});
