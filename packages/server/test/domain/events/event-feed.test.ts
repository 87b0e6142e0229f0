// The feed as a function of the stored events: wherever a reader is and whatever was removed, it gets the following
// events or an error.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideFeed, type FeedSlice } from '../../../src/domain/events/event-feed.ts';
import type { EventPosition } from '../../../src/domain/events/event-id.ts';

interface StoredEvent {
  readonly order: number;
  readonly id: string;
}

const idOf = ({ id }: StoredEvent) => id;
const event = (order: number, id = `event ${order}`): StoredEvent => ({ order, id });
const orders = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => event(from + index));

/** The slice that the store reads at a position of an app with `lastOrder` events, of which those before `kept` were removed. */
function sliceOf(
  { kept, lastOrder }: { kept: number; lastOrder: number },
  place: EventPosition | undefined,
  limit: number,
): FeedSlice<StoredEvent> {
  const from = Math.max(kept, place?.order ?? 0);
  return { lastOrder, events: orders(from, lastOrder).slice(0, limit + 1) };
}

const apps = fc
  .record({ lastOrder: fc.nat(40), removed: fc.nat(40) })
  .map(({ lastOrder, removed }) => ({ lastOrder, kept: Math.min(removed, lastOrder) + 1 }));

describe('the event feed', () => {
  test('a walk from the beginning returns each retained event once, in order, and ends at the last', () => {
    fc.assert(
      fc.property(apps, fc.integer({ min: 1, max: 7 }), (app, limit) => {
        let place: EventPosition | undefined;
        const walked: StoredEvent[] = [];
        for (;;) {
          const page = decideFeed(place, sliceOf(app, place, limit), { limit, idOf });
          if (page.kind !== 'page') throw new Error(page.kind);
          expect(page.events.length).toBeLessThanOrEqual(limit);
          walked.push(...page.events);
          place = page.cursor;
          if (!page.hasMore) break;
          expect(page.events.length).toBe(limit);
        }
        expect(walked).toEqual(orders(app.kept, app.lastOrder));
        expect(place.order).toBe(app.lastOrder);
      }),
    );
  });

  test('a read from any position returns the next events, or reports the position as ahead or the events as gone', () => {
    const limit = 5;
    fc.assert(
      fc.property(apps, fc.nat(45), fc.boolean(), (app, order, knowsId) => {
        const place = knowsId ? { order, id: `event ${order}` } : { order };
        const decision = decideFeed(place, sliceOf(app, place, limit), { limit, idOf });
        if (order > app.lastOrder) expect(decision).toEqual({ kind: 'ahead' });
        else if (order < app.lastOrder && order + 1 < app.kept) expect(decision).toEqual({ kind: 'gone' });
        else {
          const events = orders(order + 1, app.lastOrder).slice(0, limit);
          expect(decision).toMatchObject({ kind: 'page', events });
          const last = events.at(-1)?.order ?? order;
          expect(decision).toMatchObject({ cursor: { order: last }, hasMore: last < app.lastOrder });
        }
      }),
    );
  });

  test('a page ends before a missing event, and the next page reports the events as gone', () => {
    const limit = 10;
    const events = [event(1), event(2), event(5), event(6)];
    const page = decideFeed(undefined, { lastOrder: 6, events }, { limit, idOf });
    expect(page).toMatchObject({ kind: 'page', events: [event(1), event(2)], hasMore: true });
    const rest = { lastOrder: 6, events: events.slice(1) };
    expect(decideFeed({ order: 2 }, rest, { limit, idOf })).toEqual({ kind: 'gone' });
  });

  test('a cursor whose order has another event id than the reader knows is gone', () => {
    const slice = { lastOrder: 3, events: [event(2, 'of the backup'), event(3)] };
    const by = { limit: 5, idOf };
    expect(decideFeed({ order: 2, id: 'event 2' }, slice, by)).toEqual({ kind: 'gone' });
    expect(decideFeed({ order: 2, id: 'of the backup' }, slice, by).kind).toBe('page');
    // A reader that knows only the order cannot be checked.
    expect(decideFeed({ order: 2 }, slice, by).kind).toBe('page');
  });
});
