// The latest events of an app, and new ones as they happen. A tab that is shown waits for them in a call; a hidden one does
// not, and reads what it missed when it is shown again.

import { useDocumentVisibility } from '@mantine/hooks';
import { type Event, SessionClient } from '@opentill/client/operator';
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { origin } from '../runtime/page.ts';
import { pause } from '../runtime/pause.ts';
import { client, hasStatus } from './client.ts';

/** Events that are shown; older ones are on the page of the events of the app. */
const shownEventsMax = 100;

/** Below the timeouts of common proxies. */
const waitSeconds = 25;

/** Between calls that do not wait, because too many consoles do. */
const pollEveryMs = 2_000;

const retryAfterMs = { first: 500, most: 15_000 } as const;

interface LatestEvents {
  /** Newest first. */
  readonly events: readonly Event[];
  /** The position after the newest. */
  readonly cursor: string;
}

/** Its calls are not logged as calls of the page: each has another cursor. */
const follower = new SessionClient({
  host: origin,
  allowHttp: true,
  retriesMax: 0,
  // A browser makes equal calls of several tabs one after the other, so that the later ones could use its cache.
  fetch: (url, init) => fetch(url, { ...init, cache: 'no-store' }),
});

export const latestEventsQuery = (packageName: string) => {
  const queryKey = ['events', packageName, 'latest'];
  return queryOptions({
    queryKey,
    // Kept up to date by useLiveEvents.
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn({ client: queryClient, signal }): Promise<LatestEvents> {
      const read = await readLatest(packageName, signal);
      // Events that have arrived in the meantime.
      return withNews(read, queryClient.getQueryData(queryKey));
    },
  });
};

async function readLatest(packageName: string, signal: AbortSignal): Promise<LatestEvents> {
  const { cursor } = await client.listEvents({ packageName, after: 'now', pageSize: 1 }, { signal });
  const after = orderOf(cursor) - shownEventsMax;
  const of = { packageName, pageSize: shownEventsMax };
  const page =
    after <= 0
      ? await client.listEvents(of, { signal })
      : await client.listEvents({ ...of, after: String(after) }, { signal }).catch((error: unknown) => {
          // Fewer events than that are retained.
          if (hasStatus(error, 410)) return client.listEvents(of, { signal });
          throw error;
        });
  return { events: page.events.toReversed(), cursor: page.cursor };
}

/** A cursor is the order of an event, or its id, which contains the order. */
function orderOf(cursor: string): number {
  return Number(/\d+/.exec(cursor)?.[0] ?? 0);
}

/** Events that are known are not added again. */
function withNews(known: LatestEvents, news: LatestEvents | undefined): LatestEvents {
  const newest = orderOf(known.cursor);
  if (news === undefined || orderOf(news.cursor) <= newest) return known;
  const fresh = news.events.filter(({ order }) => order > newest);
  return { events: [...fresh, ...known.events].slice(0, shownEventsMax), cursor: news.cursor };
}

/** Keeps latestEventsQuery up to date while the page is shown. `onNews` is called after new events. */
export function useLiveEvents(packageName: string, onNews: () => void): void {
  const queryClient = useQueryClient();
  const isShown = useDocumentVisibility() === 'visible';
  const report = useEffectEvent(onNews);
  useEffect(() => {
    if (!isShown) return;
    const stopping = new AbortController();
    const query = latestEventsQuery(packageName);
    // The tab may have been hidden for any time.
    const isKnown = queryClient.getQueryData(query.queryKey) !== undefined;
    if (isKnown) void queryClient.invalidateQueries(query);
    const onEvents = (news: LatestEvents): void => {
      queryClient.setQueryData(query.queryKey, (known) => known && withNews(known, news));
      report();
    };
    void follow({ packageName, queryClient, onEvents, signal: stopping.signal });
    return () => stopping.abort();
  }, [packageName, queryClient, isShown]);
}

interface Feed {
  readonly packageName: string;
  readonly queryClient: QueryClient;
  readonly onEvents: (news: LatestEvents) => void;
  readonly signal: AbortSignal;
}

async function follow({ packageName, queryClient, onEvents, signal }: Feed): Promise<void> {
  const query = latestEventsQuery(packageName);
  let isFull = false;
  let waitMs: number = retryAfterMs.first;
  const step = async (): Promise<void> => {
    const { cursor } = await queryClient.ensureQueryData(query);
    const of = { packageName, after: cursor, ...(!isFull && { waitSeconds }) };
    const page = await follower.listEvents(of, { signal });
    if (page.events.length > 0) onEvents({ events: page.events.toReversed(), cursor: page.cursor });
    if (isFull) await pause(pollEveryMs, signal);
    isFull = false;
    waitMs = retryAfterMs.first;
  };
  const recover = async (error: unknown): Promise<void> => {
    isFull = hasStatus(error, 429) || hasStatus(error, 503);
    // A reset has removed the events after the cursor.
    if (hasStatus(error, 410)) await queryClient.refetchQueries(query);
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, retryAfterMs.most);
  };
  while (!signal.aborted) await step().catch(recover);
}
