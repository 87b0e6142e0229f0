// The state that a delivering server keeps in memory: slots for attempts, the window of a webhook and its cursor.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeliveryWindow, type WindowItem } from '../../src/jobs/webhooks/delivery-window.ts';
import { EndpointSlots, type SlotLimits } from '../../src/jobs/webhooks/endpoint-slots.ts';
import { EventCursor } from '../../src/jobs/webhooks/event-cursor.ts';
import type { DeliveryRow } from '../../src/store/webhooks/undelivered-events.ts';

const limits: SlotLimits = {
  atOnceMax: 20,
  ofWebhookMax: 10,
  ofWebhookAtFirst: 4,
  unansweredCost: 2,
  unansweredMax: 2,
};

/** Acquires all slots that it may. */
function takeAll(slots: EndpointSlots, name: string): number {
  let taken = 0;
  while (slots.take(name)) taken += 1;
  return taken;
}

/** Reduces a webhook to one attempt at a time. */
function exhaust(slots: EndpointSlots, name: string): void {
  while (!slots.isUnanswered(name)) {
    slots.take(name);
    slots.giveBack(name, false);
  }
}

describe('slots', () => {
  test('the slots of a webhook grow with each response up to a limit, and shrink without one', () => {
    const slots = new EndpointSlots(limits);
    slots.begin('a');
    expect(takeAll(slots, 'a')).toBe(4);
    for (let n = 0; n < 4; n += 1) slots.giveBack('a', true);
    expect(slots.allowed('a')).toBe(8);
    for (let n = 0; n < 9; n += 1) {
      slots.take('a');
      slots.giveBack('a', true);
    }
    expect(slots.allowed('a')).toBe(10);
    for (let n = 0; n < 9; n += 1) {
      slots.take('a');
      slots.giveBack('a', false);
    }
    expect([slots.allowed('a'), slots.isUnanswered('a')]).toEqual([1, true]);
    slots.take('a');
    slots.giveBack('a', true);
    expect(slots.allowed('a')).toBe(4);
  });

  test('one webhook leaves slots for the others, however many it uses', () => {
    const slots = new EndpointSlots(limits);
    for (const name of ['a', 'b']) {
      slots.begin(name);
      for (let n = 0; n < 10; n += 1) {
        slots.take(name);
        slots.giveBack(name, true);
      }
    }
    expect(takeAll(slots, 'a')).toBe(10);
    expect(takeAll(slots, 'b')).toBe(4);
    slots.begin('c');
    expect(takeAll(slots, 'c')).toBe(4);
  });

  test('webhooks without responses share a few slots, even if they return', () => {
    const slots = new EndpointSlots(limits);
    for (const name of ['a', 'b']) {
      slots.begin(name);
      exhaust(slots, name);
    }
    slots.begin('c');
    expect(takeAll(slots, 'c')).toBe(4);
    slots.end('a');
    expect(slots.begin('a')).toBe(true);
    expect(slots.allowed('a')).toBe(1);
    slots.end('a');
    slots.begin('d');
    exhaust(slots, 'd');
    expect(slots.begin('a')).toBe(false);
    expect(slots.waiting).toEqual(['a']);
    slots.end('d');
    expect(slots.waiting).toEqual([]);
  });

  test('a webhook that responds again starts with the initial number of slots', () => {
    const slots = new EndpointSlots(limits);
    slots.begin('a');
    exhaust(slots, 'a');
    slots.end('a');
    slots.begin('a');
    expect(slots.allowed('a')).toBe(1);
    slots.take('a');
    slots.giveBack('a', true);
    slots.end('a');
    slots.begin('a');
    expect(slots.allowed('a')).toBe(4);
  });

  test('an aborted attempt does not change the slots', () => {
    const slots = new EndpointSlots(limits);
    slots.begin('a');
    slots.take('a');
    slots.giveBack('a', undefined);
    expect(slots.allowed('a')).toBe(4);
  });
});

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
        const underWay: WindowItem[] = [];
        const begun: WindowItem[] = [];
        for (const draw of draws) {
          if (draw % 2 === 0 && window.hasReady) {
            const next = window.next() as WindowItem;
            expect(next.subject === null || underWay.every(({ subject }) => subject !== next.subject)).toBe(
              true,
            );
            underWay.push(next);
            begun.push(next);
          } else if (underWay.length > 0) {
            window.pass(underWay.splice(draw % underWay.length, 1)[0] as WindowItem);
          }
        }
        for (const subject of ['a', 'b', 'c']) {
          const orders = begun.filter((one) => one.subject === subject).map(({ order }) => order);
          expect(orders).toEqual(orders.toSorted((left, right) => left - right));
        }
        const ended = begun.length - underWay.length;
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
