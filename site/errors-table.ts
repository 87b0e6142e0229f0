// The table of docs/errors.md, which `npm run docs:tables` writes from the table in the contract.

import { errors } from '../packages/contract/src/errors.ts';

/** Replaces the table of the page by the current one. */
export function withErrors(page: string): string {
  const rows = Object.entries(errors).map(([name, { code, status, type, cause, cure }]) => {
    const cells = [`\`${name}\``, String(code), String(status), `\`${type}\``, cause, cure];
    return `| ${cells.join(' | ')} |`;
  });
  return page.replace(/(?<=\n\|(?:---\|){6}\n)(?:\|.*\n)+/, () => `${rows.join('\n')}\n`);
}
