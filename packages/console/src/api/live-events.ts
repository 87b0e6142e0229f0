// The latest events of an app, newest first.

import { queryOptions } from '@tanstack/react-query';
import { client, hasStatus } from './client.ts';
import { labEveryMs } from './lab.ts';

/** Events that are shown; older ones are on the page of the events of the app. */
const shownEventsMax = 100;

export const latestEventsQuery = (packageName: string) =>
  queryOptions({
    queryKey: ['lab', packageName, 'events'],
    refetchInterval: labEveryMs,
    queryFn: ({ signal }) => readLatest(packageName, signal),
  });

async function readLatest(packageName: string, signal: AbortSignal) {
  const { cursor } = await client.listEvents({ packageName, after: 'now', pageSize: 1 }, { signal });
  const after = orderOf(cursor) - shownEventsMax;
  const all = { packageName, pageSize: shownEventsMax };
  const page =
    after <= 0
      ? await client.listEvents(all, { signal })
      : await client.listEvents({ ...all, after: String(after) }, { signal }).catch((error: unknown) => {
          // Fewer events than that are retained.
          if (hasStatus(error, 410)) return client.listEvents(all, { signal });
          throw error;
        });
  return { events: page.events.toReversed() };
}

/** A cursor is the order of an event, or its id, which contains the order. */
function orderOf(cursor: string): number {
  return Number(/\d+/.exec(cursor)?.[0] ?? 0);
}
