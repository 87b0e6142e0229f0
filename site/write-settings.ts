// npm run docs:settings: writes the table of docs/settings.md.

import { readFile, writeFile } from 'node:fs/promises';
import { withSettings } from './settings-table.ts';

const page = new URL('../docs/settings.md', import.meta.url);
await writeFile(page, withSettings(await readFile(page, 'utf8')));
