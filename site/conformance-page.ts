// Generates the page of the conformance kit's checks.

import { listOfChecks } from '../packages/conformance/src/report/list.ts';
import { cell, table } from './page.ts';

export function conformancePage(): string {
  const sections = [...Map.groupBy(listOfChecks, ({ group }) => group)].map(([group, checks]) => {
    const rows = checks.map(({ id, rule, section, changes }) => [
      id,
      section,
      changes ? 'yes' : '',
      cell(rule),
    ]);
    return `## ${group}\n\n${table(['check', 'section', 'changes', 'rule'], rows)}`;
  });
  return `# The checks of the conformance kit

The checks of \`opentill conformance\`, with the section of the specification that each follows. Those that may change a
purchase or a subscription run with \`--allow-changes\` only.

${sections.join('\n')}`;
}
