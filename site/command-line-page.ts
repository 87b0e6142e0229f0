// Generates the page command-line.md from the commands with their arguments and options.

import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { exitCodesHelp } from '../packages/cli/src/exit-codes.ts';
import { createProgram, operatorGroups } from '../packages/cli/src/program.ts';
import { cell } from './page.ts';

const introduction = `# The command line

\`npx opentill <command>\`, in a checkout or where the package \`opentill\` is installed. This page is generated from
\`--help\`.

- Settings are environment variables (docs/settings.md); a flag takes precedence over its variable.
- A command that calls a server uses its operator API. It finds the server by \`--operator-url\`, \`OPENTILL_OPERATOR_URL\`, or
  \`OPENTILL_OPERATOR_HOST\` and \`OPENTILL_OPERATOR_PORT\`, and its key by \`--operator-key-file\`, \`--data-dir\`,
  \`OPENTILL_OPERATOR_KEY\`, \`OPENTILL_OPERATOR_KEY_FILE\`, or \`operator.key\` in the data folder. \`--ca\` or
  \`OPENTILL_CA\` is the certificate of a private authority. A server ignores these variables of the command line.
- Results go to the standard output, everything else to the standard error. \`--json\` prints JSON: an object, or an
  array for a list. Colors and a progress bar appear on a terminal only; \`NO_COLOR\` turns colors off.
- Ctrl-C ends a command cleanly, and a second Ctrl-C at once.
`;

/** A context without input and output, because no command runs. */
function emptyContext() {
  const sink = new Writable();
  return {
    env: {},
    stdin: Readable.from([]),
    stdout: sink,
    stderr: sink,
    signal: new AbortController().signal,
    setExitCode: () => undefined,
  };
}

export async function commandLinePage(): Promise<string> {
  const program = await createProgram(emptyContext(), Object.keys(operatorGroups));
  const codes = exitCodesHelp.trim().split('\n').slice(1).join('\n');
  const parts = [introduction, `## Exit codes\n\n\`\`\`text\n${codes}\n\`\`\`\n`];
  for (const command of program.commands) parts.push(...sectionsOf(command, []));
  return `${parts.join('\n').trimEnd()}\n`;
}

function sectionsOf(command: Command, parents: readonly string[]): string[] {
  const names = [...parents, command.name()];
  const nested = command.commands.flatMap((child) => sectionsOf(child, names));
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  if (nested.length > 0 && options.length === 0) {
    return [`## ${names.join(' ')}\n\n${capital(command.description())}.\n`, ...nested];
  }
  const rows = [
    ...help.visibleArguments(command).filter(({ description }) => description !== ''),
    ...options,
  ].map((part) => {
    const isOption = 'flags' in part;
    const term = isOption ? part.flags : `<${part.name()}>`;
    const description = isOption ? help.optionDescription(part) : help.argumentDescription(part);
    return `| \`${term}\` | ${cell(description)} |`;
  });
  const table = rows.length === 0 ? '' : `\n| option | meaning |\n|---|---|\n${rows.join('\n')}\n`;
  const level = parents.length === 0 ? '##' : '###';
  return [
    `${level} ${names.join(' ')}\n\n${capital(command.description())}.\n\n\`\`\`text\n${help.commandUsage(command)}\n\`\`\`\n${table}`,
    ...nested,
  ];
}

function capital(text: string): string {
  return cell(`${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}`);
}
