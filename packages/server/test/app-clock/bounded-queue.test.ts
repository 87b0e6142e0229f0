// A queue with limits on its waiters and on how long they wait.

import { expect, test } from 'vitest';
import { BoundedQueue } from '../../src/runtime/bounded-queue.ts';

/** Work that ends when the test ends it. */
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

test('work beyond the concurrency starts in order of arrival when earlier work ends', async () => {
  const queue = new BoundedQueue({ concurrency: 2, waitingMax: 10, waitMs: 60_000 });
  const works = Array.from({ length: 4 }, work);
  const results = works.map(({ run }) => queue.run(run));
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

test('the next work starts when the work before it fails', async () => {
  const queue = new BoundedQueue({ concurrency: 1, waitingMax: 1, waitMs: 60_000 });
  const failing = queue.run(() => Promise.reject(new Error('no')));
  const next = queue.run(async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('work that waits too long or meets a full queue never starts', async () => {
  const queue = new BoundedQueue({ concurrency: 1, waitingMax: 1, waitMs: 5 });
  const [first, second, third] = [work(), work(), work()];
  const running = queue.run(first.run);
  const waiting = queue.run(second.run);
  expect(await queue.run(third.run)).toBe(undefined);
  expect(await waiting).toBe(undefined);
  first.end();
  expect(await running).toBe('done');
  expect([second.state.hasBegun, third.state.hasBegun]).toEqual([false, false]);
  expect(await queue.run(async () => 'later')).toBe('later');
});
