// opentill event: lists and follows the events of an app.

import type { OperatorClient } from '@opentill/client/operator';
import { fromNow } from '@opentill/contract/event-feed.ts';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer, restartMeaning } from '../server-call.ts';
import { fields } from './named-commands.ts';

type Event = Awaited<ReturnType<OperatorClient['listEvents']>>['events'][number];

const columns = fields<Event>('order', 'eventTime', 'type', 'purchaseId', 'productId', 'id');

interface PositionOptions {
  readonly after?: string;
}

const followSummary = 'print new events until Ctrl-C; with --json one line each';

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
    .summary(followSummary)
    .description(`${followSummary}. ${restartMeaning}`)
    .option('--after <position>', `${position} (the default)`, fromNow);
  callsServer<Required<PositionOptions>>(follow, context, async (call, packageName) => {
    const { client, output, options, ending } = call;
    const { followFeed } = await import('../event-feed.ts');
    await followFeed(
      {
        read: (query) => client.listEvents({ packageName, ...query }, ending),
        after: options.after,
        flag: '--after',
        output,
        ...ending,
      },
      {
        onPage({ events }) {
          for (const event of events) output.entry(event, columns);
        },
      },
    );
  });
}
