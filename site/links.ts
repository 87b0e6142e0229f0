// Links between the pages of the site.

import { posix } from 'node:path';
import { type Page, titleOf } from './page.ts';

export const linkBetween = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

/** A list of links to the pages that mention something, or to the given one if there are none. */
export function linksToMentions(
  from: string,
  mention: RegExp,
  manual: readonly Page[],
  otherwise: string,
): string {
  const mentioning = manual.filter(({ text }) => mention.test(text));
  const pages = mentioning.length > 0 ? mentioning : manual.filter(({ path }) => path === otherwise);
  return pages.map((page) => `- [${titleOf(page)}](${linkBetween(from, page.path)})`).join('\n');
}
