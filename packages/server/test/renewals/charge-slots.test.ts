// How charges under way are shared between apps, without a gateway: what each app may have, and when.

import { expect, test } from 'vitest';
import { ChargeSlots } from '../../src/operations/subscriptions/renewal/charge-slots.ts';

const limits = { atOnceMax: 10, ofAppMax: 6, ofAppAtFirst: 2, unansweredMax: 2 };

/** Takes what the app may have, and lets each of those charges end so. */
function charge(slots: ChargeSlots, packageName: string, outcome: 'paid' | 'unknown'): number {
  const taken = slots.take(packageName);
  for (let charged = 0; charged < taken; charged += 1) slots.end(packageName, outcome);
  return taken;
}

test('an app starts with a few charges, and each response allows one more, up to its limit', () => {
  const slots = new ChargeSlots(limits);
  expect([1, 2, 3].map(() => charge(slots, 'a', 'paid'))).toEqual([2, 4, 6]);
  expect(charge(slots, 'a', 'paid')).toBe(6);
});

test('all apps together never exceed the limit of the server', () => {
  const slots = new ChargeSlots(limits);
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => slots.take(name))).toEqual([2, 2, 2, 2, 2, 0]);
  slots.end('a', 'paid');
  expect(slots.take('f')).toBe(1);
});

test('slots that were acquired and not used can be acquired again', () => {
  const slots = new ChargeSlots(limits);
  expect(slots.take('a')).toBe(2);
  slots.giveBack('a', 2);
  expect(slots.take('a')).toBe(2);
});

test('an app without responses has one charge at a time, and the initial number after its next response', () => {
  const slots = new ChargeSlots(limits);
  charge(slots, 'a', 'paid');
  expect(slots.take('a')).toBe(4);
  expect(slots.end('a', 'unknown')).toBe(true);
  // More are out than it may have now: nothing is taken, and nothing given.
  expect(slots.take('a')).toBe(0);
  expect([slots.end('a', 'unknown'), slots.end('a', 'unknown')]).toEqual([false, false]);
  // Of the charges before one is still out: it is the one that the app may have.
  expect(slots.take('a')).toBe(0);
  slots.end('a', 'unknown');
  expect(slots.take('a')).toBe(1);
  slots.end('a', 'paid');
  expect(slots.take('a')).toBe(2);
});

test('the first response after a failure restores the initial number of charges', () => {
  const slots = new ChargeSlots({ ...limits, ofAppAtFirst: 4 });
  charge(slots, 'a', 'unknown');
  expect(charge(slots, 'a', 'paid')).toBe(1);
  expect(slots.take('a')).toBe(4);
});

test('the free share of the slots of an app is reported', () => {
  const slots = new ChargeSlots({ ...limits, ofAppAtFirst: 4 });
  expect(slots.freeShare('a')).toBe(1);
  slots.take('a');
  expect(slots.freeShare('a')).toBe(0);
  slots.giveBack('a', 3);
  expect(slots.freeShare('a')).toBe(0.75);
});

test('apps without responses share a limited number of slots and leave the rest to others', () => {
  const slots = new ChargeSlots(limits);
  for (const name of ['a', 'b', 'c']) charge(slots, name, 'unknown');
  expect(slots.unansweredRoom()).toBe(2);
  expect(['a', 'b', 'c'].map((name) => slots.take(name))).toEqual([1, 1, 0]);
  expect(slots.unansweredRoom()).toBe(0);
  expect(slots.take('d')).toBe(2);
  slots.end('b', 'unknown');
  expect(slots.unansweredRoom()).toBe(1);
});

test('the app without responses whose last charge is oldest is first', () => {
  const slots = new ChargeSlots(limits);
  for (const name of ['a', 'b', 'c']) charge(slots, name, 'unknown');
  expect(slots.unanswered()).toEqual(['a', 'b', 'c']);
  charge(slots, 'a', 'unknown');
  expect(slots.unanswered()).toEqual(['b', 'c', 'a']);
  charge(slots, 'c', 'paid');
  expect(slots.unanswered()).toEqual(['b', 'a']);
});

test('an app without due charges is forgotten, unless its last charge had no response', () => {
  const slots = new ChargeSlots(limits);
  charge(slots, 'a', 'paid');
  charge(slots, 'b', 'unknown');
  for (const name of ['a', 'b']) slots.forget(name);
  expect([slots.take('a'), slots.take('b')]).toEqual([2, 1]);
});

test('an app with charges in flight is not forgotten', () => {
  const slots = new ChargeSlots(limits);
  slots.take('a');
  slots.forget('a');
  expect(slots.take('a')).toBe(0);
});
