// A page of the feed of events, for operators and developers alike, and the wait for one that is not empty
// (docs/decisions/events.md).

import { type EventPage, type EventsQuery, fromNow } from '@opentill/contract/event-feed.ts';
import { pageSize } from '@opentill/contract/limits.ts';
import { decideFeed, type FeedDecision, shownCursor } from '../../domain/events/event-feed.ts';
import { type EventPlace, eventIdOf, parseEventPlace } from '../../domain/events/event-id.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { shownValue } from '../../domain/shown-value.ts';
import type { Queryable } from '../../store/connection/database.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import { findEventOrders, readEventSlice } from '../../store/events/event-slices.ts';
import { shownEvent } from './event-view.ts';
import { type EventWaiters, waitersMax, waitersOfAppMax } from './event-waiters.ts';

interface EventsRequest {
  readonly packageName: string;
  readonly query: EventsQuery;
  /** The caller has left: nothing is waited for. */
  readonly signal: AbortSignal | undefined;
}

export type EventsAnswer =
  | { readonly kind: 'page'; readonly page: EventPage }
  /** `after` is no place, or one that no event has yet. */
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'gone' | 'appFull' | 'serverFull'; readonly message: string }
  | { readonly kind: 'unknownApp' };

export type ListEvents = (request: EventsRequest) => Promise<EventsAnswer>;

interface EventListerParts {
  readonly database: Queryable;
  readonly environment: Environment;
  /** Of the whole server: its limits are the server's. */
  readonly waiters: EventWaiters;
}

type Read = FeedDecision<EventRow> | { readonly kind: 'unknownApp' };

export function eventLister(parts: EventListerParts): ListEvents {
  return async ({ packageName, query, signal }) => {
    const { after, waitSeconds = 0 } = query;
    const place = await findPlace(parts, packageName, after);
    if (place === 'malformed') return unusable(after, 'the cursor of a page, or the id or order of an event');
    const limit = query.pageSize ?? pageSize.default;
    const first = await read(parts, { packageName, place, limit });
    if (first.kind !== 'page' || first.events.length > 0 || waitSeconds === 0) {
      return answerOf(parts, first, { packageName, place });
    }
    const { cursor } = first;
    const wait = { packageName, after: cursor.order, waitMs: waitSeconds * 1000, signal };
    const outcome = await parts.waiters.wait(wait);
    if (outcome !== 'ended') return { kind: outcome, message: fullTexts[outcome] };
    const second = await read(parts, { packageName, place: cursor, limit });
    return answerOf(parts, second, { packageName, place: cursor });
  };
}

const fullTexts = {
  appFull: `Expected at most ${waitersOfAppMax} waiting calls of this app: retry later, or without waitSeconds.`,
  serverFull: `Expected at most ${waitersMax} waiting calls on this server: retry later, or without waitSeconds.`,
} as const;

/** Undefined: the beginning of what is kept. */
async function findPlace(
  { database }: EventListerParts,
  packageName: string,
  after: string | undefined,
): Promise<EventPlace | 'malformed' | undefined> {
  if (after === undefined) return undefined;
  if (after !== fromNow) return parseEventPlace(after) ?? 'malformed';
  return { order: (await findEventOrders(database, [packageName])).get(packageName) ?? 0 };
}

/** The event of the place is read too: it tells whether it is still the one that the reader knows. */
async function read(
  { database, environment }: EventListerParts,
  page: { packageName: string; place: EventPlace | undefined; limit: number },
): Promise<Read> {
  const { packageName, place, limit } = page;
  const slice = await readEventSlice(database, { packageName, from: place?.order ?? 0, limit: limit + 1 });
  if (slice === undefined) return { kind: 'unknownApp' };
  const idOf = (row: EventRow) => eventIdOf({ environment, packageName, ...row });
  return decideFeed(place, slice, { limit, idOf });
}

function answerOf(
  { environment }: EventListerParts,
  decision: Read,
  { packageName, place }: { packageName: string; place: EventPlace | undefined },
): EventsAnswer {
  const after = place && shownCursor(place);
  switch (decision.kind) {
    case 'page': {
      const { events, cursor, hasMore } = decision;
      const shown = events.map((row) => shownEvent(row, { environment, packageName }));
      return { kind: 'page', page: { events: shown, cursor: shownCursor(cursor), hasMore } };
    }
    case 'ahead':
      return unusable(after, 'the position of an existing event of this app');
    case 'gone': {
      const again = `restart without after, or with after=${fromNow}`;
      return { kind: 'gone', message: `The event after ${after} is no longer available: ${again}.` };
    }
    case 'unknownApp':
      return decision;
  }
}

function unusable(after: string | undefined, expected: string): EventsAnswer {
  return { kind: 'unusable', message: `expected ${expected}, got ${shownValue(after ?? '')}` };
}
