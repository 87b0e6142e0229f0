// npm run docs:site [-- --base <path>]: builds the documentation site in dist/site, from the Markdown of the repository
// and from pages that are generated from the code.

import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vitepress';
import { commandLinePage } from './command-line-page.ts';
import { conformancePage } from './conformance-page.ts';
import { deadLinks } from './dead-links.ts';
import { errorPages } from './error-pages.ts';
import { operationPages } from './operation-pages.ts';
import type { Page } from './page.ts';
import { imagePaths, repositoryPages, root } from './repository-pages.ts';
import { llmsText, sectionsOf, sidebarOf } from './sections.ts';

const pagesFolder = join(root, 'dist/pages');
const siteFolder = join(root, 'dist/site');
/** The settings of VitePress read it. */
const sidebarFile = join(pagesFolder, 'sidebar.json');

async function writePages(pages: readonly Page[]): Promise<void> {
  await rm(pagesFolder, { recursive: true, force: true });
  for (const { path, text } of pages) {
    await mkdir(join(pagesFolder, dirname(path)), { recursive: true });
    await writeFile(join(pagesFolder, path), text);
  }
  for (const path of await imagePaths()) await cp(join(root, path), join(pagesFolder, path));
}

async function buildSite(base: string): Promise<void> {
  const documents = await repositoryPages();
  const manual = documents.filter(({ path }) => path.startsWith('docs/'));
  const pages = [
    ...documents,
    { path: 'reference/command-line.md', text: await commandLinePage() },
    { path: 'reference/conformance-checks.md', text: conformancePage() },
    ...operationPages(manual),
    ...errorPages(manual),
  ];
  const sections = sectionsOf(pages);
  await writePages(pages);
  await writeFile(sidebarFile, JSON.stringify(sidebarOf(sections)));
  await build(join(root, 'site'), { base });
  await rm(sidebarFile);
  await cp(pagesFolder, siteFolder, { recursive: true });
  await writeFile(join(siteFolder, 'llms.txt'), llmsText(pages, sections, base));
  const dead = await deadLinks(siteFolder, base);
  if (dead.length > 0) throw new Error(`the site has links to what does not exist:\n${dead.join('\n')}`);
}

function baseOf(args: string[]): string {
  const { base } = parseArgs({ args, options: { base: { type: 'string', default: '/' } } }).values;
  if (/^\/(?:[\w.~-]+\/)*$/.test(base)) return base;
  throw new Error(`expected a --base that starts and ends with /, as in /docs/, got "${base}"`);
}

try {
  const base = baseOf(process.argv.slice(2));
  await buildSite(base).catch(async (error: unknown) => {
    await rm(siteFolder, { recursive: true, force: true });
    throw error;
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
