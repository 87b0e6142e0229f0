// A page of the documentation site as Markdown, and links between pages.

import { posix } from 'node:path';

export interface Page {
  /** Its path among the pages, as in `docs/events.md`. */
  readonly path: string;
  readonly text: string;
}

/** The h1 of a page, without marks of code. */
export function titleOf({ path, text }: Page): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path}: expected a title, a line that starts with "# "`);
  return title.replaceAll('`', '');
}

/** A text in the cell of a table, where a `<` starts no HTML. */
export const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('\n', ' ');

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [headings, headings.map(() => '---'), ...rows].map(line).join('');
}

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
