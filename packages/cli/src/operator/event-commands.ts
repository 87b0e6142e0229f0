// opentill event: lists and follows the events of an app.

import type { OperatorClient } from '@opentill/client/operator';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer, type ServerCall } from '../server-call.ts';
import { fields } from './named-commands.ts';

type Event = Awaited<ReturnType<OperatorClient['listEvents']>>['events'][number];

const columns = fields<Event>('order', 'eventTime', 'type', 'purchaseId', 'productId', 'id');

interface PositionOptions {
  readonly after?: string;
}

/** Seconds after which the server responds even if there is no event. */
const waitSeconds = 30;

export function addEventCommands(event: Command, context: CommandContext): void {
  const position = 'start after this position: the id or order of an event, or now';

  const list = withLimit(
    event
      .command('list')
      .argument('<package-name>', 'the package name of the app', withoutSurroundings)
      .description('list the events of an app, oldest first')
      .option('--after <position>', position),
  );
  callsServer<ListOptions & PositionOptions>(
    list,
    context,
    async ({ client, output, options, ending }, packageName) => {
      const events = await listed(options, output, async ({ pageSize, pageToken = options.after }) => {
        const page = await client.listEvents({ packageName, pageSize, after: pageToken }, ending);
        return { entries: page.events, ...(page.hasMore && { nextPageToken: page.cursor }) };
      });
      await output.list(events, columns);
    },
  );

  const follow = event
    .command('follow')
    .argument('<package-name>', 'the package name of the app', withoutSurroundings)
    .description('print new events until Ctrl-C; with --json one line each')
    .option('--after <position>', `${position} (the default)`, 'now');
  callsServer<Required<PositionOptions>>(follow, context, (call, packageName) =>
    followEvents(call, packageName),
  );
}

/** Prints the position to continue from, however the command ends. */
async function followEvents(
  { client, output, options, ending }: ServerCall<Required<PositionOptions>>,
  packageName: string,
): Promise<void> {
  let after = options.after;
  try {
    for (;;) {
      const page = await client.listEvents({ packageName, after, waitSeconds }, ending);
      for (const event of page.events) output.entry(event, columns);
      after = page.cursor;
    }
  } finally {
    output.note(`To continue, use --after ${after}.`);
  }
}
