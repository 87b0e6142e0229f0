// The list of all checks, for a reader who wants to know what the kit checks before it runs.

import { checks } from '../checks/checks.ts';

export const listOfChecks = checks.map(({ id, group, rule, section, changes = false }) => ({
  id,
  group,
  rule,
  section,
  changes,
}));

const idWidth = Math.max(...checks.map(({ id }) => id.length));

/** A line for each check; `*` marks those that run with --allow-changes only. */
export function textOfChecks(): string {
  const lines = listOfChecks.map(
    ({ id, rule, section, changes }) => `${id.padEnd(idWidth)} ${changes ? '*' : ' '} ${rule} (${section})`,
  );
  return `${lines.join('\n')}\n\n* may change a purchase or a subscription: runs with --allow-changes only\n`;
}
