// AppQueues: how much work may wait, how long, and in which order it runs.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppQueues } from '../../src/store/connection/app-queues.ts';
import { DatabaseUnavailable } from '../../src/store/connection/database-failure.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const slotsMax = 2;

/** Queues with a list of the work that has started; work ends when the test ends it. */
function openQueues() {
  const queues = new AppQueues(slotsMax);
  const begun: string[] = [];
  const take = (record: string, packageName = 'com.example.game') => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const work = queues.run({ packageName, record }, async () => {
      begun.push(record);
      await promise;
    });
    // The test checks rejections later.
    work.catch(() => undefined);
    return { work, end };
  };
  return { take, begun };
}

test('work on one record is serialized, and an app runs at most two records at once', async () => {
  const { take, begun } = openQueues();
  const first = take('a');
  const again = take('a');
  const second = take('b');
  const third = take('c');
  const other = take('d', 'com.example.other');
  expect(begun).toEqual(['a', 'b', 'd']);
  for (const { end } of [first, again, second, third, other]) end();
  await Promise.all([first, again, second, third, other].map(({ work }) => work));
  expect(begun.toSorted()).toEqual(['a', 'a', 'b', 'c', 'd']);
});

test('work that waited for 1,500 ms runs, and work that waited longer is rejected', async () => {
  const { take, begun } = openQueues();
  const held = take('a');
  const late = take('a');
  vi.advanceTimersByTime(1);
  const inTime = take('a');
  vi.advanceTimersByTime(1_500);
  held.end();
  inTime.end();
  await Promise.all([held.work, inTime.work]);
  await expect(late.work).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(begun).toEqual(['a', 'a']);
});

test('an app may have 2,000 waiting calls, and the next one is rejected at once', async () => {
  const { take, begun } = openQueues();
  const held = take('a');
  const waiting = Array.from({ length: 2_000 }, () => take('a'));
  await expect(take('a').work).rejects.toBeInstanceOf(DatabaseUnavailable);
  const other = take('a', 'com.example.other');
  for (const { end } of [held, ...waiting, other]) end();
  await Promise.all([held, ...waiting, other].map(({ work }) => work));
  expect(begun).toHaveLength(2_002);
});

test('failed work does not block the next', async () => {
  const queues = new AppQueues(1);
  const scope = { packageName: 'com.example.game', record: 'a' };
  const failed = queues.run(scope, () => Promise.reject(new Error('no database')));
  const next = queues.run(scope, async () => 'done');
  await expect(failed).rejects.toThrow('no database');
  expect(await next).toBe('done');
});
