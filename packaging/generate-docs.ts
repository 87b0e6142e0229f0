// npm run docs:generate [folder]: writes the pages that are generated from the code, for publishing the documentation.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listOfChecks } from '../packages/conformance/src/report/list.ts';
import { commandLinePage } from './command-line-page.ts';

const [folder = 'dist/docs'] = process.argv.slice(2);

function conformancePage(): string {
  const sections = [...Map.groupBy(listOfChecks, ({ group }) => group)].map(([group, checks]) => {
    const rows = checks.map(
      ({ id, rule, section, changes }) => `| ${id} | ${rule} | ${section} | ${changes ? 'yes' : ''} |`,
    );
    return `## ${group}\n\n| check | rule | section | changes |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# The checks of the conformance kit

The checks of \`opentill conformance\`, with the section of the specification that each follows. Those that may change a
purchase or a subscription run with \`--allow-changes\` only.

${sections.join('\n')}`;
}

await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'command-line.md'), commandLinePage());
await writeFile(join(folder, 'conformance-checks.md'), conformancePage());
