// A page of the documentation site as Markdown.

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
