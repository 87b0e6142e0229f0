// opentill buyer erase: repeats the call until nothing of the buyer is left.

import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { callsServer } from '../server-call.ts';

export function addEraseCommand(buyer: Command, context: CommandContext): void {
  const erase = buyer
    .command('erase <buyer-id>')
    .description(
      "remove a buyer's id and payloads from purchases, subscriptions, events, deliveries and logs",
    )
    .option('--app <package-name>', 'only in this app; by default in all', withoutSurroundings)
    .option('--ticket <number>', 'the number of the support ticket, for the audit trail');
  callsServer<{ app?: string; ticket?: string }>(
    erase,
    context,
    async ({ client, output, options, ending }, buyerId) => {
      const { app: packageName, ticket } = options;
      let rows = 0;
      for (let isDone = false; !isDone; ) {
        const erased = await client.eraseBuyer({ buyerId, packageName, ticket }, ending);
        rows += erased.rows;
        isDone = erased.done;
      }
      output.record({ rows });
    },
  );
}
