// What one server keeps in memory while it delivers: the window of one webhook, and its cursor.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeliveryWindow, type WindowItem } from '../../src/jobs/webhooks/delivery-window.ts';
import { EventCursor } from '../../src/jobs/webhooks/event-cursor.ts';
import type { DeliveryRow } from '../../src/store/webhooks/undelivered-events.ts';

const item = (order: number, subject: string | null): WindowItem => ({
  order,
  subject,
  event: {} as WindowItem['event'],
  delivery: undefined,
});

describe('the window', () => {
  test('a subject has at most one delivery in flight, and its deliveries start in order', () => {
    const subjects = fc.array(fc.constantFrom('a', 'b', 'c', null), {
      minLength: 1,
      maxLength: 30,
      size: 'max',
    });
    fc.assert(
      fc.property(subjects, fc.array(fc.nat(100), { minLength: 100, maxLength: 100 }), (given, draws) => {
        const window = new DeliveryWindow();
        for (const [index, subject] of given.entries()) window.add(item(index, subject));
        const inFlight: WindowItem[] = [];
        const begun: WindowItem[] = [];
        for (const draw of draws) {
          if (draw % 2 === 0 && window.hasReady) {
            const next = window.next() as WindowItem;
            expect(next.subject === null || inFlight.every(({ subject }) => subject !== next.subject)).toBe(
              true,
            );
            inFlight.push(next);
            begun.push(next);
          } else if (inFlight.length > 0) {
            window.pass(inFlight.splice(draw % inFlight.length, 1)[0] as WindowItem);
          }
        }
        for (const subject of ['a', 'b', 'c']) {
          const orders = begun.filter((one) => one.subject === subject).map(({ order }) => order);
          expect(orders).toEqual(orders.toSorted((left, right) => left - right));
        }
        const ended = begun.length - inFlight.length;
        expect(window.size).toBe(given.length - ended);
      }),
    );
  });

  test('due deliveries and new events alternate, however many there are of each', () => {
    const window = new DeliveryWindow();
    for (const order of [1, 2, 3, 4]) window.add({ ...item(order, null), delivery: {} as DeliveryRow });
    for (const order of [5, 6]) window.add(item(order, null));
    const begun = Array.from({ length: 6 }, () => window.next()?.order);
    expect(begun).toEqual([1, 5, 2, 6, 3, 4]);
    expect(window.next()).toBeUndefined();
  });

  test('a failed delivery drops the later ones of its subject and frees the subject', () => {
    const window = new DeliveryWindow();
    for (const order of [1, 2, 3]) window.add(item(order, 'a'));
    window.add(item(3, 'a'));
    expect([window.size, window.behindCount]).toEqual([3, 2]);
    const first = window.next() as WindowItem;
    expect(window.hasReady).toBe(false);
    expect(window.stop(first).map(({ order }) => order)).toEqual([2, 3]);
    expect([window.size, window.behindCount]).toEqual([0, 0]);
    window.add(item(4, 'a'));
    expect(window.next()?.order).toBe(4);
  });
});

describe('the cursor', () => {
  test('the cursor stays before the first event without a record, in whatever order they are recorded', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 5, 8, 9], { minLength: 0 }), (settled) => {
        const cursor = new EventCursor(0);
        cursor.extend(10);
        cursor.read([1, 2, 3, 5, 8, 9]);
        for (const order of settled) cursor.settle([order]);
        const open = [1, 2, 3, 5, 8, 9].filter((order) => !settled.includes(order));
        expect(cursor.after(new Set())).toBe(open.length === 0 ? 9 : (open[0] ?? 0) - 1);
        expect(cursor.after(new Set(open))).toBe(9);
      }),
    );
  });

  test('the cursor skips orders without an event once all events are read', () => {
    const cursor = new EventCursor(4);
    expect(cursor.isCaughtUp).toBe(true);
    cursor.extend(9);
    expect(cursor.isCaughtUp).toBe(false);
    cursor.readAll();
    expect([cursor.isCaughtUp, cursor.after(new Set())]).toEqual([true, 9]);
  });
});
