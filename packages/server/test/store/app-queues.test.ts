// AppQueues: how much of an app runs at once, and how much may wait for how long.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppQueues } from '../../src/store/connection/app-queues.ts';
import { DatabaseUnavailable } from '../../src/store/connection/database-failure.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const app = 'com.example.game';

/** Queues with a list of the work that has started; work ends when the test ends it. */
function openQueues(slotsMax: number) {
  const queues = new AppQueues(slotsMax);
  const begun: string[] = [];
  const take = (name: string, { packageName = app, kind = 'run' as 'run' | 'runRead' } = {}) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const work = queues[kind](packageName, async () => {
      begun.push(name);
      await promise;
    });
    // The test checks rejections later.
    work.catch(() => undefined);
    return { work, end };
  };
  return { take, begun };
}

test('an app runs as much as it has slots, and one read of any size, and no app waits for another', async () => {
  const { take, begun } = openQueues(2);
  const works = [
    ...['a', 'b', 'c'].map((name) => take(name)),
    ...['read', 'next read'].map((name) => take(name, { kind: 'runRead' })),
    take('other', { packageName: 'com.example.other' }),
  ];
  expect(begun).toEqual(['a', 'b', 'read', 'other']);
  for (const { end } of works) end();
  await Promise.all(works.map(({ work }) => work));
  expect(begun).toHaveLength(6);
});

test('work that waited for 1,500 ms runs, and work that waited longer is rejected', async () => {
  const { take, begun } = openQueues(1);
  const held = take('held');
  const late = take('late');
  vi.advanceTimersByTime(1);
  const inTime = take('in time');
  vi.advanceTimersByTime(1_500);
  held.end();
  inTime.end();
  await Promise.all([held.work, inTime.work]);
  await expect(late.work).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(begun).toEqual(['held', 'in time']);
});

test('an app may have 2,000 waiting calls, and the next one is rejected at once', async () => {
  const { take, begun } = openQueues(1);
  const works = Array.from({ length: 2_001 }, () => take('a'));
  await expect(take('a').work).rejects.toBeInstanceOf(DatabaseUnavailable);
  for (const { end } of works) end();
  await Promise.all(works.map(({ work }) => work));
  expect(begun).toHaveLength(2_001);
});

test('failed work does not block the next', async () => {
  const queues = new AppQueues(1);
  const failed = queues.run(app, () => Promise.reject(new Error('no database')));
  const next = queues.run(app, async () => 'done');
  await expect(failed).rejects.toThrow('no database');
  expect(await next).toBe('done');
});
