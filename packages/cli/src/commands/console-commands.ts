// opentill console: makes a link that signs in to the console of a sandbox.

import type { ConsoleRole } from '@opentill/contract/sessions.ts';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { callsServer } from '../server-call.ts';

export function addConsoleCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('console')
    .description('print a link that signs in to the console once, within 10 minutes, in the sandbox')
    .addOption(
      new Option('--role <role>', 'the role of the session')
        .choices(['read', 'support', 'admin'])
        .default('admin'),
    );
  callsServer<{ role: ConsoleRole }>(command, context, async ({ client, host, output, options, ending }) => {
    const { path, endsAt } = await client.createConsoleLink({ role: options.role }, ending);
    output.record({ url: host + path, endsAt });
  });
}
