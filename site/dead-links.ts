// Finds the links of a built site whose page, file or anchor does not exist.

import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Each as `page: link`. */
export async function deadLinks(folder: string, base: string): Promise<string[]> {
  const pages = new Map<string, string>();
  for await (const path of glob('**/*.html', { cwd: folder })) {
    pages.set(path, await readFile(join(folder, path), 'utf8'));
  }
  const dead = [...pages].flatMap(([page, html]) => {
    const links = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
    return [...new Set(links)].filter((link) => !isAlive(link)).map((link) => `${page}: ${link}`);

    function isAlive(link: string): boolean {
      const site = `http://site${base}`;
      const url = new URL(link.replaceAll('&amp;', '&'), site + page);
      if (url.origin !== new URL(site).origin) return true;
      if (!url.href.startsWith(site)) return false;
      const path = decodeURIComponent(url.pathname.slice(base.length)).replace(/(^|\/)$/, '$1index.html');
      const target = pages.get(path);
      if (target === undefined) return existsSync(join(folder, path)) && url.hash === '';
      return url.hash === '' || target.includes(` id="${decodeURIComponent(url.hash.slice(1))}"`);
    }
  });
  return dead;
}
