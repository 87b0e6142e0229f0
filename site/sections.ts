// The sections of the site by audience, which the sidebar and llms.txt list.

import { posix } from 'node:path';
import { apiReferences } from './api-references.ts';
import { type Page, titleOf } from './page.ts';

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
  /** All pages of this folder, whose sidebar it is. */
  readonly folder?: string;
}

/** Pages of docs/ by their names, and others by their paths. */
const manual: Readonly<Record<string, string>> = {
  'For the store':
    'quick-start-store statements console payment-gateway renewal-terms store-events import-export moving-a-store',
  'For a backend': 'quick-start-backend examples/index client events webhooks developer-api errors',
  'For tests': 'quick-start-tests sandbox conformance reference/conformance-checks',
  Operating: 'deployment operating settings scaling reference/command-line',
  Understanding: 'architecture glossary adding-an-operation bench/index ./CONTRIBUTING releasing ./CHANGELOG',
};

const folders: Readonly<Record<string, string>> = {
  ...Object.fromEntries(apiReferences.map(({ api, folder }) => [api.title, `${folder}/`])),
  'All errors': 'reference/errors/',
  Decisions: 'docs/decisions/',
};

/** @throws if a page is missing, or is in no section; the home page is in none */
export function sectionsOf(pages: readonly Page[]): Section[] {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const sections = [
    ...Object.entries(manual).map(([title, names]) => ({ title, pages: names.split(' ').map(requirePage) })),
    ...Object.entries(folders).map(([title, folder]) => ({
      title,
      folder,
      pages: pages.filter(({ path }) => path.startsWith(folder)),
    })),
  ];
  const listed = new Set(sections.flatMap((section) => section.pages));
  const missing = pages.find((page) => !listed.has(page) && page.path !== 'index.md');
  if (missing !== undefined) throw new Error(`add ${missing.path} to a section in site/sections.ts`);
  return sections;

  function requirePage(name: string): Page {
    const path = `${posix.join(name.includes('/') ? '' : 'docs', name)}.md`;
    const page = byPath.get(path);
    if (page === undefined) throw new Error(`site/sections.ts lists ${path}, which does not exist`);
    return page;
  }
}

const linkTo = (page: Page, folder?: string) => ({
  text: page.path === `${folder}index.md` ? 'Overview' : titleOf(page),
  link: `/${page.path.replace(/(?:index)?\.md$/, '')}`,
});

/** The sidebar of the manual links to the folders; that of a folder lists its pages. */
export function sidebarOf(sections: readonly Section[]): object {
  const overview = sections.flatMap(({ title, pages, folder }) =>
    folder === undefined ? [{ text: title, items: pages.map((page) => linkTo(page)) }] : [],
  );
  const reference = {
    text: 'Reference',
    items: sections.flatMap(({ title, folder }) =>
      folder === undefined ? [] : [{ text: title, link: `/${folder}` }],
    ),
  };
  const own = sections.flatMap(({ title, pages, folder }) =>
    folder === undefined
      ? []
      : [[`/${folder}`, [{ text: title, items: pages.map((page) => linkTo(page, folder)) }, reference]]],
  );
  return { '/': [...overview, reference], ...Object.fromEntries(own) };
}

/** The index that the llms.txt convention describes: links to the Markdown of all pages. */
export function llmsText(pages: readonly Page[], sections: readonly Section[], base: string): string {
  const home = pages.find(({ path }) => path === 'index.md');
  const [, title, introduction = ''] = /^# (.+)\n\n((?:.+\n)+)/m.exec(home?.text ?? '') ?? [];
  const lists = sections.map((section) => {
    const links = section.pages.map((page) => `- [${titleOf(page)}](${base}${page.path})\n`);
    return `\n## ${section.title}\n\n${links.join('')}`;
  });
  return `# ${title}\n\n> ${introduction.trim().replaceAll('\n', ' ')}\n${lists.join('')}`;
}
