// opentill event: lists and follows the events of an app.

import type { OperatorClient } from '@opentill/client/operator';
import { fromNow } from '@opentill/contract/event-feed.ts';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import { type CommandContext, UsageProblem } from '../command-context.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer, restartMeaning } from '../server-call.ts';
import { fields } from './named-commands.ts';

type Event = Awaited<ReturnType<OperatorClient['listEvents']>>['events'][number];

const columns = fields<Event>('order', 'eventTime', 'type', 'purchaseId', 'productId', 'id');

interface PositionOptions {
  readonly after?: string;
}

interface FollowOptions extends Required<PositionOptions> {
  readonly position?: string;
  readonly skipGaps?: true;
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
    .argument('[package-name]', 'the package name of the app; without it, all apps', withoutSurroundings)
    .summary(followSummary)
    .description(
      `${followSummary}. ${restartMeaning}. Without a package name, the events of each app are in their order, and a new app starts with its first event`,
    )
    .option('--after <position>', `${position} (the default); for all apps, 0 or now`, fromNow)
    .option('--position <file>', 'for all apps: keep the position in this file, and continue from it')
    .option('--skip-gaps', 'for all apps: continue after events that are no longer available');
  callsServer<FollowOptions>(follow, context, async (call, packageName) => {
    const { client, output, options, ending } = call;
    const onEvents = (events: readonly Event[]): void => {
      for (const event of events) output.entry(event, columns);
    };
    if (packageName === undefined) {
      const { followApps } = await import('../store-events.ts');
      return followApps({ client, output, options, ending, onEvents });
    }
    if (options.position !== undefined || options.skipGaps === true)
      throw new UsageProblem('--position and --skip-gaps are for all apps: use them without a package name.');
    const { followFeed } = await import('../event-feed.ts');
    await followFeed(
      {
        read: (query) => client.listEvents({ packageName, ...query }, ending),
        after: options.after,
        flag: '--after',
        output,
        ...ending,
      },
      { onPage: ({ events }) => onEvents(events) },
    );
  });
}
