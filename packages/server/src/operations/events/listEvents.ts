// Lists the events of an app in order, for operators and for developers, and waits for new ones
// (docs/decisions/events.md).

import { type EventPage, type EventsQuery, fromNow } from '@opentill/contract/event-feed.ts';
import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import { listEvents as developerOperation } from '@opentill/contract/events-api/listEvents.ts';
import { pageSize } from '@opentill/contract/limits.ts';
import { listEvents as operatorOperation } from '@opentill/contract/operator-api/listEvents.ts';
import { decideFeed, type FeedDecision, formatCursor } from '../../domain/events/event-feed.ts';
import { type EventPosition, eventIdOf, parseEventPosition } from '../../domain/events/event-id.ts';
import { quoteValue } from '../../domain/text/quoted-value.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import { findEventOrders, readEventSlice } from '../../store/events/event-slices.ts';
import type { Store } from '../../store/store.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import {
  entriesPerStatement,
  type OperatorHandler,
  operatorHandler,
  responded,
} from '../operator-handler.ts';
import { noSuchApp, Overload, Refusal, refuseValue } from '../refusal.ts';
import { type EventWaiters, type WaitersMax, waitersMax } from './event-waiters.ts';
import { publicEvent } from './public-event.ts';

interface EventsRequest {
  readonly packageName: string;
  readonly query: EventsQuery;
  /** Whether a page of the console makes the call. */
  readonly isByConsole: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
}

type FeedRefusal = Refusal<'invalidRequest' | 'gone' | 'tooManyRequests' | 'unavailable'>;

export function listEvents(store: Store, eventWaiters: EventWaiters): OperatorHandler {
  const handler = operatorHandler(operatorOperation, async ({ path, query, session, signal }) => {
    const { packageName } = path;
    const isByConsole = session !== undefined;
    const page = await readPage(store, eventWaiters, { packageName, query, isByConsole, signal });
    if (page === undefined) return noSuchApp(packageName);
    return page instanceof Refusal ? page : responded(200, page);
  });
  return {
    ...handler,
    async *readEntries({ path: { packageName = '' }, query: { after } }) {
      let query: EventsQuery = {
        ...(after !== undefined && { after: String(after) }),
        pageSize: entriesPerStatement,
      };
      for (let hasMore = true; hasMore; ) {
        const asked = { packageName, query, isByConsole: true, signal: undefined };
        const page = await readPage(store, eventWaiters, asked);
        if (page === undefined || page instanceof Refusal) return yield page ?? noSuchApp(packageName);
        yield page.events;
        query = { ...query, after: page.cursor };
        hasMore = page.hasMore;
      }
    },
  };
}

export function listEventsForDevelopers(
  store: Store,
  eventWaiters: EventWaiters,
): AppHandler<EventsOperation> {
  return appHandler(developerOperation, async ({ packageName, query, signal }) => {
    const page = await readPage(store, eventWaiters, { packageName, query, isByConsole: false, signal });
    // The app existed when its token was checked.
    return page ?? new Refusal('unauthorized');
  });
}

/** Returns undefined for an unknown app. */
async function readPage(
  store: Store,
  eventWaiters: EventWaiters,
  { packageName, query, isByConsole, signal }: EventsRequest,
): Promise<EventPage | FeedRefusal | undefined> {
  const { after, waitSeconds = 0 } = query;
  const position = await findPosition(store, packageName, after);
  if (position === 'malformed') {
    return refuseAfter(after, 'the cursor of a page, or the id or order of an event');
  }
  const limit = query.pageSize ?? pageSize.default;
  const first = await readSlice(store, { packageName, position, limit });
  if (first?.kind !== 'page' || first.events.length > 0 || waitSeconds === 0) {
    return pageOf(store, first, { packageName, position });
  }
  const { cursor } = first;
  const kind = isByConsole ? 'console' : 'developer';
  const wait = { kind, packageName, after: cursor.order, waitMs: waitSeconds * 1000, signal } as const;
  const outcome = await eventWaiters.wait(wait);
  if (outcome !== 'ended') return refuseWait(outcome, waitersMax[kind]);
  const second = await readSlice(store, { packageName, position: cursor, limit });
  return pageOf(store, second, { packageName, position: cursor });
}

function refuseWait(full: 'appFull' | 'serverFull', { ofApp, ofServer }: WaitersMax): FeedRefusal {
  return full === 'appFull'
    ? new Refusal(
        'tooManyRequests',
        `Expected at most ${ofApp} waiting calls of this app: retry later, or without waitSeconds.`,
      )
    : new Overload(
        `Expected at most ${ofServer} waiting calls on this server: retry later, or without waitSeconds.`,
      );
}

/** Returns undefined for the start of the retained events. */
async function findPosition(
  { database }: Store,
  packageName: string,
  after: string | undefined,
): Promise<EventPosition | 'malformed' | undefined> {
  if (after === undefined) return undefined;
  if (after !== fromNow) return parseEventPosition(after) ?? 'malformed';
  return {
    order: (await findEventOrders(database.scopedTo(packageName), [packageName])).get(packageName) ?? 0,
  };
}

/** Also reads the event at the position, to check that it is the event that the reader knows. */
async function readSlice(
  { database, environment }: Store,
  page: { packageName: string; position: EventPosition | undefined; limit: number },
): Promise<FeedDecision<EventRow> | undefined> {
  const { packageName, position, limit } = page;
  const from = position?.order ?? 0;
  const slice = await readEventSlice(database.scopedTo(packageName), { packageName, from, limit: limit + 1 });
  if (slice === undefined) return undefined;
  const idOf = (row: EventRow) => eventIdOf({ environment, packageName, ...row });
  return decideFeed(position, slice, { limit, idOf });
}

function pageOf(
  { environment }: Store,
  decision: FeedDecision<EventRow> | undefined,
  { packageName, position }: { packageName: string; position: EventPosition | undefined },
): EventPage | FeedRefusal | undefined {
  const after = position && formatCursor(position);
  switch (decision?.kind) {
    case 'page': {
      const { events, cursor, hasMore } = decision;
      const publicEvents = events.map((row) => publicEvent(row, { environment, packageName }));
      return { events: publicEvents, cursor: formatCursor(cursor), hasMore };
    }
    case 'ahead':
      return refuseAfter(after, 'the position of an existing event of this app');
    case 'gone': {
      const restart = `restart without after, or with after=${fromNow}`;
      return new Refusal('gone', `The event after ${after} is no longer available: ${restart}.`);
    }
    case undefined:
      return undefined;
  }
}

function refuseAfter(after: string | undefined, expected: string): FeedRefusal {
  return refuseValue('invalidRequest', 'after', `expected ${expected}, got ${quoteValue(after ?? '')}`);
}
