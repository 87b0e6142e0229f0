// Follows the event feed of an app, for `event follow` and `listen`: a server that stops, restarts or is busy delays it.

import { type EventPage, OpenTillError } from '@opentill/client';
import { fromNow } from '@opentill/contract/event-feed.ts';
import { pause, StartProblem } from '@opentill/server/for-command-line.ts';
import type { Output } from './terminal/output.ts';

/** Seconds after which the server responds even if there is no event. */
const waitSeconds = 30;

export const retryEveryMs = 1_000;

export interface FeedQuery {
  readonly after: string;
  readonly waitSeconds?: number;
}

interface FollowedFeed {
  readonly read: (query: FeedQuery) => Promise<EventPage>;
  readonly after: string;
  /** The option that takes a position. */
  readonly flag: string;
  readonly output: Output;
  readonly signal: AbortSignal;
}

interface FeedReader {
  /** Called with the position after which events follow. */
  readonly onStarted?: (after: string) => void;
  /** The next page is read when this is done. */
  readonly onPage: (page: EventPage) => Promise<void> | void;
}

/** Prints the position to continue from, however it ends. */
export async function followFeed(feed: FollowedFeed, { onStarted, onPage }: FeedReader): Promise<never> {
  let { after } = feed;
  // This page is empty and comes at once: from here on, a restart of the server loses no event.
  if (after === fromNow) after = (await readPatiently(feed, { after })).cursor;
  onStarted?.(after);
  try {
    for (;;) {
      const page = await readPatiently(feed, { after, waitSeconds });
      await onPage(page);
      after = page.cursor;
    }
  } finally {
    feed.output.note(`To continue, use ${feed.flag} ${after}.`);
  }
}

async function readPatiently(feed: FollowedFeed, query: FeedQuery): Promise<EventPage> {
  const { after } = query;
  for (let isReported = false; ; isReported = true) {
    try {
      return await feed.read(query);
    } catch (error) {
      if (!isPassing(error)) throw explained(error, feed.flag, after);
      if (!isReported)
        feed.output.note(`${error.message}; retrying every second for the events after ${after}.`);
      await pause(retryEveryMs, { signal: feed.signal });
    }
  }
}

/** No response, too many calls, or a server in trouble. */
export function isPassing(error: unknown): error is OpenTillError {
  if (!(error instanceof OpenTillError)) return false;
  const { httpStatus } = error;
  return httpStatus === undefined || httpStatus === 429 || httpStatus >= 500;
}

function explained(error: unknown, flag: string, after: string): unknown {
  if (!(error instanceof OpenTillError) || error.httpStatus !== 410) return error;
  return new StartProblem(
    `The events after ${after} are no longer available: read the current state from the API, then continue with ${flag} ${fromNow}.`,
    { cause: error },
  );
}
