// Places for work: so much at once, the others in the order in which they came, and not for ever.

import { expect, test } from 'vitest';
import { Places } from '../../src/runtime/places.ts';

/** Work that ends when it is told to. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { hasBegun: false };
  const run = async () => {
    state.hasBegun = true;
    await promise;
    return 'done';
  };
  return { run, end: resolve, state };
}

test('who comes when all places are taken begins when one comes free, first come, first served', async () => {
  const places = new Places({ atOnceMax: 2, waitingMax: 10, waitMs: 60_000 });
  const works = Array.from({ length: 4 }, work);
  const results = works.map(({ run }) => places.take(run));
  const begun = () => works.map(({ state }) => state.hasBegun);
  expect(begun()).toEqual([true, true, false, false]);
  works[1]?.end();
  await results[1];
  await expect.poll(begun).toEqual([true, true, true, false]);
  works[2]?.end();
  await results[2];
  await expect.poll(begun).toEqual([true, true, true, true]);
  for (const { end } of works) end();
  expect(await Promise.all(results)).toEqual(Array(4).fill('done'));
});

test('a place comes free when its work fails', async () => {
  const places = new Places({ atOnceMax: 1, waitingMax: 1, waitMs: 60_000 });
  const failing = places.take(() => Promise.reject(new Error('no')));
  const next = places.take(async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('who has waited too long, or finds too many waiting, gets no place and never begins', async () => {
  const places = new Places({ atOnceMax: 1, waitingMax: 1, waitMs: 5 });
  const [first, second, third] = [work(), work(), work()];
  const running = places.take(first.run);
  const waiting = places.take(second.run);
  expect(await places.take(third.run)).toBe(undefined);
  expect(await waiting).toBe(undefined);
  first.end();
  expect(await running).toBe('done');
  expect([second.state.hasBegun, third.state.hasBegun]).toEqual([false, false]);
  expect(await places.take(async () => 'later')).toBe('later');
});
