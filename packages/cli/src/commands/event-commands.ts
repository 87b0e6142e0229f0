// opentill event: what happened in an app, in order, and what goes on happening.

import type { OperatorClient } from '@opentill/client/operator';
import type { Command } from 'commander';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer, type ServerCall } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns } from '../terminal/output.ts';

type Event = Awaited<ReturnType<OperatorClient['listEvents']>>['events'][number];

const columns: Columns<Event> = {
  order: (event) => event.order,
  eventTime: (event) => event.eventTime,
  type: (event) => event.type,
  purchaseId: (event) => ('purchaseId' in event ? event.purchaseId : undefined),
  productId: (event) => ('productId' in event ? event.productId : undefined),
  id: (event) => event.id,
};

interface PlaceOptions {
  readonly after?: string;
}

/** The server answers at the latest after so many seconds, and is asked again. */
const waitSeconds = 30;

export function addEventCommands(program: Command, surroundings: Surroundings): void {
  const event = program.command('event').description('list or follow the events of an app');
  const place = 'begin after this place: the id or order of an event, or now';

  const list = withLimit(
    event
      .command('list <package-name>')
      .description('list the events of an app, oldest first')
      .option('--after <place>', place),
  );
  callsServer<ListOptions & PlaceOptions>(
    list,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const events = await listed(options, output, async ({ pageSize, pageToken = options.after }) => {
        const page = await client.listEvents({ packageName, pageSize, after: pageToken }, ending);
        return { entries: page.events, ...(page.hasMore && { nextPageToken: page.cursor }) };
      });
      await output.list(events, columns);
    },
  );

  const follow = event
    .command('follow <package-name>')
    .description('print new events until Ctrl-C; with --json one line each')
    .option('--after <place>', `${place} (the default)`, 'now');
  callsServer<Required<PlaceOptions>>(follow, surroundings, (call, packageName = '') =>
    followEvents(call, packageName),
  );
}

/** Whatever ends it, it says where to go on. */
async function followEvents(
  { client, output, options, ending }: ServerCall<Required<PlaceOptions>>,
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
    output.note(`Go on with --after ${after}.`);
  }
}
