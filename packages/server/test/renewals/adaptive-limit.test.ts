// The slots of AdaptiveLimit, which apps share for charges and webhooks for delivery attempts.

import { expect, test } from 'vitest';
import { AdaptiveLimit } from '../../src/runtime/adaptive-limit.ts';

const limits = {
  total: 20,
  crowdedFrom: 10,
  perKeyMax: 10,
  initial: 4,
  noResponseCost: 2,
  unresponsiveMax: 2,
};

function openKeys(slots: AdaptiveLimit, ...keys: readonly string[]): void {
  for (const key of keys) expect(slots.open(key)).toBe(true);
}

/** Acquires as many slots as the key can have. */
function acquireAll(slots: AdaptiveLimit, key: string): number {
  let acquired = 0;
  while (slots.acquire(key)) acquired += 1;
  return acquired;
}

/** Acquires and releases one slot after the other. */
function use(slots: AdaptiveLimit, key: string, result: 'response' | 'noResponse', count = 1): void {
  for (let used = 0; used < count; used += 1) {
    expect(slots.acquire(key)).toBe(true);
    slots.release(key, result);
  }
}

test('a limit grows by one with each response up to its maximum, and shrinks without one down to a single slot', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a');
  expect(acquireAll(slots, 'a')).toBe(4);
  for (let released = 0; released < 4; released += 1) slots.release('a', 'response');
  expect(slots.limitOf('a')).toBe(8);
  use(slots, 'a', 'response', 9);
  expect(slots.limitOf('a')).toBe(10);
  use(slots, 'a', 'noResponse');
  expect(slots.limitOf('a')).toBe(8);
  use(slots, 'a', 'noResponse', 8);
  expect([slots.limitOf('a'), slots.isUnresponsive('a')]).toEqual([1, true]);
});

test('the first response of an unresponsive key gives it the initial limit again', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a');
  use(slots, 'a', 'noResponse', 2);
  expect(slots.limitOf('a')).toBe(1);
  use(slots, 'a', 'response');
  expect(acquireAll(slots, 'a')).toBe(4);
});

test('with a cost of the whole limit, one missing response makes a key unresponsive', () => {
  const slots = new AdaptiveLimit({ ...limits, noResponseCost: 10 });
  openKeys(slots, 'a');
  use(slots, 'a', 'response', 6);
  use(slots, 'a', 'noResponse');
  expect(slots.isUnresponsive('a')).toBe(true);
});

test('a key whose limit shrank below its slots in use acquires none until they are released', () => {
  const slots = new AdaptiveLimit({ ...limits, noResponseCost: 10 });
  openKeys(slots, 'a');
  expect(acquireAll(slots, 'a')).toBe(4);
  slots.release('a', 'noResponse');
  expect([slots.acquire('a'), slots.freeShare('a')]).toEqual([false, 0]);
  for (let released = 0; released < 3; released += 1) slots.release('a', 'noResponse');
  expect(acquireAll(slots, 'a')).toBe(1);
});

test('all keys together acquire no more than the total', () => {
  const slots = new AdaptiveLimit({ ...limits, total: 6 });
  openKeys(slots, 'a', 'b', 'c');
  expect(['a', 'b', 'c'].map((key) => acquireAll(slots, key))).toEqual([4, 2, 0]);
  slots.release('a', 'response');
  expect(acquireAll(slots, 'c')).toBe(1);
});

test('while many slots are in use, a key acquires no more than the initial limit', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a', 'b', 'c');
  for (const key of ['a', 'b']) use(slots, key, 'response', 10);
  expect(['a', 'b', 'c'].map((key) => acquireAll(slots, key))).toEqual([10, 4, 4]);
});

test('a slot that was not used leaves the limit as it is', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a');
  slots.acquire('a');
  slots.release('a', 'unused');
  expect(slots.limitOf('a')).toBe(4);
});

test('the free share is the part of the limit that is not in use', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a');
  expect(slots.freeShare('a')).toBe(1);
  slots.acquire('a');
  expect(slots.freeShare('a')).toBe(0.75);
  acquireAll(slots, 'a');
  expect(slots.freeShare('a')).toBe(0);
});

test('few unresponsive keys are open at once, and responsive ones are opened all the same', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a', 'b');
  for (const key of ['a', 'b']) {
    use(slots, key, 'noResponse', 2);
    slots.close(key);
  }
  expect(slots.unresponsiveRoom).toBe(2);
  openKeys(slots, 'a');
  expect([slots.limitOf('a'), slots.unresponsiveRoom]).toEqual([1, 1]);
  openKeys(slots, 'c');
  use(slots, 'c', 'noResponse', 2);
  expect([slots.unresponsiveRoom, slots.open('b')]).toEqual([0, false]);
  openKeys(slots, 'd');
  expect(acquireAll(slots, 'd')).toBe(4);
  slots.close('c');
  openKeys(slots, 'b');
});

test('a closed key is forgotten unless it is unresponsive', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a', 'b');
  use(slots, 'a', 'response');
  use(slots, 'b', 'noResponse', 2);
  for (const key of ['a', 'b']) slots.close(key);
  openKeys(slots, 'a', 'b');
  expect([slots.limitOf('a'), slots.limitOf('b')]).toEqual([4, 1]);
  use(slots, 'b', 'response');
  slots.close('b');
  openKeys(slots, 'b');
  expect([slots.limitOf('b'), slots.unresponsive]).toEqual([4, []]);
});

test('unresponsive keys are listed in the order in which they were closed', () => {
  const slots = new AdaptiveLimit(limits);
  openKeys(slots, 'a', 'b', 'c');
  for (const key of ['a', 'b', 'c']) {
    use(slots, key, 'noResponse', 2);
    slots.close(key);
  }
  expect(slots.unresponsive).toEqual(['a', 'b', 'c']);
  openKeys(slots, 'a');
  slots.close('a');
  expect(slots.unresponsive).toEqual(['b', 'c', 'a']);
});
