// WriteBehind: items are written in batches, limited in number, and never twice.

import { expect, test } from 'vitest';
import { WriteBehind } from '../../src/runtime/write-behind.ts';

/** Longer than any test: only a flush or a full batch ends the wait. */
const gatherMs = 60_000;

function recorder(options: { waitingMax?: number; batchMax?: number; failing?: number } = {}) {
  const batches: (readonly number[])[] = [];
  const dropped: { count: number; error: unknown }[] = [];
  let failing = options.failing ?? 0;
  const queue = new WriteBehind<number>({
    waitingMax: options.waitingMax ?? 100,
    batchMax: options.batchMax ?? 10,
    gatherMs,
    async write(items) {
      batches.push(items);
      failing -= 1;
      if (failing >= 0) throw new Error('away');
    },
    onDropped: (count, error) => dropped.push({ count, error }),
  });
  return { queue, batches, dropped };
}

test('a flush writes everything that was added, in order and in batches', async () => {
  const { queue, batches } = recorder();
  for (let item = 0; item < 25; item += 1) queue.add(item);
  await queue.flush();
  expect(batches.map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(batches.flat()).toEqual(Array.from({ length: 25 }, (_, item) => item));
});

test('items over the limit are dropped and counted, and the others are written', async () => {
  const { queue, batches, dropped } = recorder({ waitingMax: 12 });
  for (let item = 0; item < 15; item += 1) queue.add(item);
  await queue.flush();
  expect(batches.flat()).toHaveLength(12);
  expect(dropped).toEqual([
    { count: 1, error: undefined },
    { count: 1, error: undefined },
    { count: 1, error: undefined },
  ]);
});

test('a batch that fails is dropped without a retry, and the next one is written', async () => {
  const { queue, batches, dropped } = recorder({ failing: 1 });
  for (let item = 0; item < 12; item += 1) queue.add(item);
  await queue.flush();
  expect(batches.map(({ length }) => length)).toEqual([10, 2]);
  expect(dropped).toEqual([{ count: 10, error: new Error('away') }]);
});

test('a flush waits for the items added before it and not for later ones', async () => {
  const { queue, batches } = recorder({ batchMax: 1 });
  queue.add(1);
  const flushed = queue.flush();
  queue.add(2);
  await flushed;
  expect(batches).toContainEqual([1]);
  await queue.flush();
  expect(batches).toEqual([[1], [2]]);
});

test('a flush of an empty queue ends at once', async () => {
  const { queue, batches } = recorder();
  await queue.flush();
  expect(batches).toEqual([]);
});
