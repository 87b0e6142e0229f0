// The documentation site, built once: its links, its pages, and how they look and read in a browser.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from '../../test/support/browser/browser.ts';
import type { PageOptions } from '../../test/support/browser/page.ts';
import { apiReferences } from '../api-references.ts';
import { deadLinks } from '../dead-links.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'dist/site');
const base = '/manual/';

const build = (...options: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'site/build.ts'), ...options], { cwd: root });

const open = await useBrowser();
let output = '';

beforeAll(async () => {
  const { stdout, stderr } = await build('--base', base);
  output = stdout + stderr;
});

const pages = (extension: string): Promise<string[]> =>
  Array.fromAsync(glob(`**/*.${extension}`, { cwd: folder }));

/** Serves the built files without a server, because they need none. */
async function serve(page: Awaited<ReturnType<typeof open>>, path: string): Promise<void> {
  await page.route('http://site.example/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = join(folder, pathname.slice(base.length));
    await (existsSync(file) ? route.fulfill({ path: file }) : route.fulfill({ status: 404 }));
  });
  await page.goto(`http://site.example${base}${path}`);
}

async function openSite(path: string, options: PageOptions) {
  const page = await open(options);
  await serve(page, path);
  return page;
}

test('the build of the site prints no warning', () => {
  expect(output).toContain('build complete');
  expect(output).not.toMatch(/warn|deprecated|\(!\)/i);
});

test('each page has its Markdown next to it, and llms.txt lists it', async () => {
  const html = (await pages('html')).filter((path) => path !== '404.html');
  const markdown = html.map((path) => path.replace(/html$/, 'md'));
  expect((await pages('md')).toSorted()).toEqual(markdown.toSorted());
  const index = await readFile(join(folder, 'llms.txt'), 'utf8');
  const listed = [...index.matchAll(/\]\(\/manual\/(.*)\)$/gm)].map(([, path]) => path);
  expect(listed.toSorted()).toEqual(markdown.filter((path) => path !== 'index.md').toSorted());
});

test('each operation of each API has a page that names its call, its errors and an example', async () => {
  for (const reference of apiReferences) {
    for (const { operationId, method, errors } of reference.api.operations) {
      const page = await readFile(join(folder, reference.folder, `${operationId}.md`), 'utf8');
      expect(page).toContain(`\n${method} /`);
      expect(page).toContain(`curl -s`);
      for (const error of errors) expect(page).toContain(`| [${error}](../errors/`);
    }
  }
});

test('a link to a page, a file or an anchor that does not exist is found', async () => {
  const site = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  await mkdir(join(site, 'docs'));
  await writeFile(
    join(site, 'index.html'),
    '<h1 id="top"><a href="/docs/docs/a.html#b"><a href="https://x.example">',
  );
  await writeFile(
    join(site, 'docs/a.html'),
    '<a href="../"><a href="../#top"><a href="b.html"><img src="c.png"><a href="#d"><a href="/elsewhere/">',
  );
  expect(await deadLinks(site, '/docs/')).toEqual([
    'index.html: /docs/docs/a.html#b',
    'docs/a.html: b.html',
    'docs/a.html: c.png',
    'docs/a.html: #d',
    'docs/a.html: /elsewhere/',
  ]);
  await rm(site, { recursive: true });
});

const looked = ['index.html', 'docs/architecture.html', 'reference/operator-api/recordPurchase.html'];

test.each(looked)('%s is accessible in both color schemes and on a narrow window', async (path) => {
  for (const options of [{ scheme: 'light' }, { scheme: 'dark' }, { size: 'narrow' }] as const) {
    await using page = await openSite(path, options);
    await page.locator('.VPNavBarSearchButton, .DocSearch-Button').first().waitFor();
    await expectAccessible(page);
  }
});

test('a page without JavaScript shows its text and its diagram with a name', async () => {
  await using opened = await open();
  const context = await opened.context().browser()?.newContext({ javaScriptEnabled: false });
  const page = await context?.newPage();
  if (page === undefined) throw new Error('expected the browser of the page');
  await serve(page, 'docs/architecture.html');
  await page.getByRole('heading', { name: 'One request, from socket to row' }).waitFor();
  const diagram = page.getByRole('img', { name: 'The layers of the server' });
  await diagram.waitFor();
  expect((await diagram.boundingBox())?.width).toBeGreaterThan(400);
  await diagram.getByText('the only SQL').waitFor();
  await context?.close();
});

test('the search finds an operation', async () => {
  await using page = await openSite('index.html', {});
  await page.getByRole('button', { name: /Search/ }).click();
  await page.getByRole('searchbox').fill('consumePurchase');
  await page
    .getByRole('option', { name: /^consumePurchase/ })
    .first()
    .click();
  await page.waitForURL('**/reference/purchase-api/consumePurchase.html*');
});
