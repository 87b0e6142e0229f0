// The list of all checks.

import { checks } from '../checks/checks.ts';

export const listOfChecks = checks.map((check) => {
  const { id, group, rule, section, changes = false } = check;
  return { id, group, rule, section, changes };
});

const idWidth = Math.max(...checks.map(({ id }) => id.length));

/** Prints a line for each check; `*` marks those that run only with --allow-changes. */
export function textOfChecks(): string {
  const lines = listOfChecks.map(
    ({ id, rule, section, changes }) => `${id.padEnd(idWidth)} ${changes ? '*' : ' '} ${rule} (${section})`,
  );
  return `${lines.join('\n')}\n\n* may change a purchase or a subscription: runs only with --allow-changes\n`;
}
