// The Markdown of the repository as pages of the site: a README is the index of its folder, and a link to a file
// that has no page, such as a source file, becomes its path.

import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from './page.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

const documents = '{README,CONTRIBUTING,CHANGELOG,docs/**/*,{bench,examples}/README}.md';
const images = 'docs/images/*';

/** The paths of the pictures, from the root. */
export const imagePaths = (): Promise<string[]> => Array.fromAsync(glob(images, { cwd: root }));

export async function repositoryPages(): Promise<Page[]> {
  const paths = (await Array.fromAsync(glob(documents, { cwd: root }))).toSorted();
  const kept = new Set([...paths, ...(await imagePaths())]);
  return Promise.all(
    paths.map(async (path) => ({
      path: indexOf(path),
      text: withLinksOfSite(path, await textOf(path), kept),
    })),
  );
}

const read = (path: string): Promise<string> => readFile(posix.join(root, path), 'utf8');

/** The examples, which the repository links to, are tabs of their page. */
async function textOf(path: string): Promise<string> {
  const text = await read(path);
  if (path !== 'examples/README.md') return text;
  const programs = [...text.matchAll(/\[([^\]]+)\]\((\w+\/\w+\.(\w+))\)/g)];
  const tabs = programs.map(
    async ([, language, file, extension]) =>
      `\`\`\`${extension} [${language}]\n${await read(`examples/${file}`)}\`\`\``,
  );
  return `${text}\n## The programs\n\n::: code-group\n\n${(await Promise.all(tabs)).join('\n\n')}\n\n:::\n`;
}

const indexOf = (path: string): string => path.replace(/(^|\/)README\.md$/, '$1index.md');

function withLinksOfSite(page: string, text: string, kept: ReadonlySet<string>): string {
  return text.replaceAll(
    /(?<!!)\[([^\]]*)\]\((?![a-z]+:)([^)#\s]+)(#[^)]*)?\)/g,
    (whole, label: string, target: string, anchor = '') => {
      const path = posix.join(posix.dirname(page), target);
      if (kept.has(path)) return `[${label}](${indexOf(target)}${anchor})`;
      return existsSync(posix.join(root, path)) ? `\`${path}\`` : whole;
    },
  );
}
