// How much of an app runs at once, and how much may wait for how long: by app (AppQueues), for a shared statement, and in a
// transaction.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../../test/support/harness.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { AppQueues } from '../../src/store/connection/app-queues.ts';
import { coalesced } from '../../src/store/connection/coalesced.ts';
import { DatabaseUnavailable, Overloaded } from '../../src/store/connection/database-failure.ts';
import { NoRow, statement } from '../../src/store/statements/statement.ts';

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
  await expect(late.work).rejects.toBeInstanceOf(Overloaded);
  expect(begun).toEqual(['held', 'in time']);
});

test('an app may have 2,000 waiting calls, and the next one is rejected at once', async () => {
  const { take, begun } = openQueues(1);
  const works = Array.from({ length: 2_001 }, () => take('a'));
  await expect(take('a').work).rejects.toBeInstanceOf(Overloaded);
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

const limits = { batchMax: 100, inFlightMax: 2 };

/** Calls that share statements, which return together. */
function openShared() {
  const began: string[][] = [];
  const { promise: responded, resolve: respondToAll } = Promise.withResolvers<void>();
  const load = coalesced({ isDistributed: false, patience: 1 }, limits, async (keys: readonly string[]) => {
    began.push([...keys]);
    await responded;
    return keys.map((key) => `result of ${key}`);
  });
  return { load, began, respondToAll };
}

/** Resolves when all work that can start has started. */
const begun = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('calls that share statements are rejected when 20,000 wait, and the others return', async () => {
  const { load, began, respondToAll } = openShared();
  const settled = Promise.allSettled(Array.from({ length: 30_000 }, (_, call) => load(`${call}`)));
  await begun();
  respondToAll();
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(10_000);
  for (const outcome of refused) expect(outcome).toHaveProperty('reason', expect.any(Overloaded));
  expect(began.flat()).toHaveLength(20_000);
  expect(Math.max(...began.map((keys) => keys.length))).toBe(limits.batchMax);
});

test('a call whose deadline has passed is not part of the next shared statement', async () => {
  const { load, began, respondToAll } = openShared();
  const first = [load('a'), load('b')];
  await begun();
  first.push(load('c'));
  await begun();
  const late = load('late');
  await begun();
  vi.advanceTimersByTime(1_501);
  const inTime = load('in time');
  respondToAll();
  await expect(late).rejects.toBeInstanceOf(Overloaded);
  await expect(inTime).resolves.toBe('result of in time');
  await Promise.all(first);
  expect(began).toEqual([['a', 'b'], ['c'], ['in time']]);
});

test('a transaction whose statements together take too long fails with DatabaseUnavailable', async () => {
  vi.useRealTimers();
  const short = statement({ name: 'test_short', text: 'select', row: NoRow });
  await using fresh = await freshDatabase();
  await using database = openDatabase(fresh.connection, 2, { patience: 1 });
  const scope = { packageName: 'com.example.game' };
  const work = database.transaction(scope, (transaction) =>
    waitFor(async () => (await transaction.rows(short, [])).length === 0, { what: 'a statement that fails' }),
  );
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable);
});
