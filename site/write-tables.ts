// npm run docs:tables: writes the tables of docs/settings.md and docs/errors.md.

import { readFile, writeFile } from 'node:fs/promises';
import { withErrors } from './errors-table.ts';
import { withSettings } from './settings-table.ts';

for (const [name, withTable] of [
  ['settings.md', withSettings],
  ['errors.md', withErrors],
] as const) {
  const page = new URL(`../docs/${name}`, import.meta.url);
  await writeFile(page, withTable(await readFile(page, 'utf8')));
}
