// Writes docs/command-line.md from the commands themselves.

import { writeFile } from 'node:fs/promises';
import { commandLinePage } from '../src/command-line-page.ts';

await writeFile(new URL('../../../docs/command-line.md', import.meta.url), commandLinePage());
