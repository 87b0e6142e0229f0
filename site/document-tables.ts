// The tables of docs/settings.md and docs/errors.md, which `npm run docs:tables` writes.

import { readFile, writeFile } from 'node:fs/promises';
import { errors } from '../packages/contract/src/errors.ts';
import { fullMeaning, settingNames, settingOf } from '../packages/server/src/config/settings.ts';
import { cell } from './page.ts';

/** Replaces the table of docs/errors.md by the current one. */
export function withErrors(page: string): string {
  const rows = Object.entries(errors).map(([name, { code, status, cause }]) => {
    const cells = [`\`${name}\``, String(code), String(status), cause];
    return `| ${cells.join(' | ')} |\n`;
  });
  return page.replace(/(?<=\n\|(?:---\|){4}\n)(?:\|.*\n)+/, () => rows.join(''));
}

/** Replaces the table of docs/settings.md by the current one. */
export function withSettings(page: string): string {
  const rows = settingNames.map((name) => {
    const { default: byDefault, unset = 'none', details } = settingOf(name);
    const meaning = fullMeaning(name, (value) => `\`${value}\``);
    const value = byDefault === undefined ? unset : `\`${byDefault}\``;
    return `| \`${name}\` | ${value} | ${cell([meaning, ...(details === undefined ? [] : [details])].join('. '))} |\n`;
  });
  return page.replace(/(?<=\n\|---\|---\|---\|\n)(?:\|.*\n)+/, () => rows.join(''));
}

if (import.meta.main) {
  for (const [name, withTable] of Object.entries({ 'settings.md': withSettings, 'errors.md': withErrors })) {
    const page = new URL(`../docs/${name}`, import.meta.url);
    await writeFile(page, withTable(await readFile(page, 'utf8')));
  }
}
