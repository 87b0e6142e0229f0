// Decides which events a reader gets, from its position and a snapshot of the app's events (docs/decisions/events.md). It
// does not know how events are stored.

import type { EventPosition } from './event-id.ts';

/** A snapshot of an app's events. Events are removed oldest first. */
export interface FeedSlice<Event> {
  /** The order of the newest event, even if it was removed; 0 before the first event. */
  readonly lastOrder: number;
  /** The retained events from the requested position on, in order; the first may be the event at that position. */
  readonly events: readonly Event[];
}

export type FeedDecision<Event> =
  | {
      readonly kind: 'page';
      readonly events: readonly Event[];
      /** Where to continue: after the last event of the page or, if the page is empty, at the same position. */
      readonly cursor: EventPosition;
      readonly hasMore: boolean;
    }
  /** The app has no event at this position yet. */
  | { readonly kind: 'ahead' }
  /** The next event was removed, or the event at this position is a different one. */
  | { readonly kind: 'gone' };

/**
 * Starts with the oldest event if there is no position. Orders have no gaps: a missing one was removed, and the page ends
 * before it.
 */
export function decideFeed<Event extends { readonly order: number }>(
  position: EventPosition | undefined,
  { lastOrder, events }: FeedSlice<Event>,
  { limit, idOf }: { readonly limit: number; readonly idOf: (event: Event) => string },
): FeedDecision<Event> {
  const [oldest] = events;
  if (position === undefined) {
    const start = { order: oldest === undefined ? lastOrder : oldest.order - 1 };
    return pageAfter(start, events, { lastOrder, limit, idOf });
  }
  if (position.order > lastOrder) return { kind: 'ahead' };
  const isThere = oldest?.order === position.order;
  if (isThere && position.id !== undefined && position.id !== idOf(oldest)) return { kind: 'gone' };
  const following = isThere ? events.slice(1) : events;
  if (position.order < lastOrder && following[0]?.order !== position.order + 1) return { kind: 'gone' };
  const start = isThere ? positionOf(oldest, idOf) : position;
  return pageAfter(start, following, { lastOrder, limit, idOf });
}

function pageAfter<Event extends { readonly order: number }>(
  start: EventPosition,
  following: readonly Event[],
  by: { lastOrder: number; limit: number; idOf: (event: Event) => string },
): FeedDecision<Event> {
  const gap = following.findIndex(({ order }, index) => order !== start.order + 1 + index);
  const inRow = gap === -1 ? following : following.slice(0, gap);
  const events = inRow.slice(0, by.limit);
  const last = events.at(-1);
  const cursor = last === undefined ? start : positionOf(last, by.idOf);
  return { kind: 'page', events, cursor, hasMore: cursor.order < by.lastOrder };
}

function positionOf<Event extends { readonly order: number }>(
  event: Event,
  idOf: (event: Event) => string,
): EventPosition {
  return { order: event.order, id: idOf(event) };
}

/** The text of a position, which a reader sends back. */
export function formatCursor({ id, order }: EventPosition): string {
  return id ?? String(order);
}
