// What a reader of an app's events is given, from where it stands and what the database holds at one moment
// (docs/decisions/events.md). How events are stored is not known here.

import type { EventPlace } from './event-id.ts';

/** An app's events at one moment. Those that were removed are the oldest, or all of them. */
export interface FeedSlice<Event> {
  /** Of the last event that there has been, kept or not; 0 before the first. */
  readonly lastOrder: number;
  /** Kept events in order, from the place that is asked for on; the event of that place may be the first. */
  readonly events: readonly Event[];
}

export type FeedDecision<Event> =
  | {
      readonly kind: 'page';
      readonly events: readonly Event[];
      /** Where to read on: the last event given, else the one that the reader stands at. */
      readonly cursor: EventPlace;
      readonly hasMore: boolean;
    }
  /** The place is one that no event of the app has yet. */
  | { readonly kind: 'ahead' }
  /** The event that follows is not kept, or the event of this place is another one. */
  | { readonly kind: 'gone' };

/**
 * Without a place, begins with the oldest event. Orders have no gaps: one that is missing was removed, and the
 * page ends before it.
 */
export function decideFeed<Event extends { readonly order: number }>(
  place: EventPlace | undefined,
  { lastOrder, events }: FeedSlice<Event>,
  { limit, idOf }: { readonly limit: number; readonly idOf: (event: Event) => string },
): FeedDecision<Event> {
  const [oldest] = events;
  if (place === undefined) {
    const start = { order: oldest === undefined ? lastOrder : oldest.order - 1 };
    return pageAfter(start, events, { lastOrder, limit, idOf });
  }
  if (place.order > lastOrder) return { kind: 'ahead' };
  const isThere = oldest?.order === place.order;
  if (isThere && place.id !== undefined && place.id !== idOf(oldest)) return { kind: 'gone' };
  const following = isThere ? events.slice(1) : events;
  if (place.order < lastOrder && following[0]?.order !== place.order + 1) return { kind: 'gone' };
  const start = isThere ? placeOf(oldest, idOf) : place;
  return pageAfter(start, following, { lastOrder, limit, idOf });
}

function pageAfter<Event extends { readonly order: number }>(
  start: EventPlace,
  following: readonly Event[],
  by: { lastOrder: number; limit: number; idOf: (event: Event) => string },
): FeedDecision<Event> {
  const gap = following.findIndex(({ order }, index) => order !== start.order + 1 + index);
  const inRow = gap === -1 ? following : following.slice(0, gap);
  const events = inRow.slice(0, by.limit);
  const last = events.at(-1);
  const cursor = last === undefined ? start : placeOf(last, by.idOf);
  return { kind: 'page', events, cursor, hasMore: cursor.order < by.lastOrder };
}

function placeOf<Event extends { readonly order: number }>(
  event: Event,
  idOf: (event: Event) => string,
): EventPlace {
  return { order: event.order, id: idOf(event) };
}

/** What a reader keeps of a place. */
export function shownCursor({ id, order }: EventPlace): string {
  return id ?? String(order);
}
