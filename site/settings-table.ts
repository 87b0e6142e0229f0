// The table of docs/settings.md, which `npm run docs:tables` writes from the table in the server.

import { fullMeaning, settingNames, settingOf } from '../packages/server/src/config/settings.ts';
import { cell } from './page.ts';

/** Replaces the table of the page by the current one. */
export function withSettings(page: string): string {
  const rows = settingNames.map((name) => {
    const { default: byDefault, unset = 'none', details } = settingOf(name);
    const meaning = fullMeaning(name, (value) => `\`${value}\``);
    const value = byDefault === undefined ? unset : `\`${byDefault}\``;
    return `| \`${name}\` | ${value} | ${cell([meaning, ...(details === undefined ? [] : [details])].join('. '))} |`;
  });
  return page.replace(/(?<=\n\|---\|---\|---\|\n)(?:\|.*\n)+/, () => `${rows.join('\n')}\n`);
}
