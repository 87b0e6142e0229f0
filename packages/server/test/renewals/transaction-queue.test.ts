// The queue of the renewal job: the order and the timing of its transactions.

import { expect, onTestFinished, test, vi } from 'vitest';
import { TransactionQueue } from '../../src/operations/subscriptions/renewal/transaction-queue.ts';
import { waitFor } from '../wait-for.ts';

function openQueue() {
  const state = { lastAppCallAt: Number.NEGATIVE_INFINITY };
  const stopping = new AbortController();
  const lastAppCallAt = () => state.lastAppCallAt;
  const queue = new TransactionQueue(lastAppCallAt, stopping.signal);
  return { queue, state, stopping };
}

const workMs = 40;

/** A transaction that takes some time, and during which a call is answered. */
async function serve(state: { lastAppCallAt: number }): Promise<void> {
  const begun = performance.now();
  state.lastAppCallAt = performance.now();
  await waitFor(() => performance.now() - begun >= workMs, { deadlineMs: 5_000, what: 'the work' });
}

test('transactions run one at a time, those that settle before those that begin', async () => {
  const { queue } = openQueue();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const run = (kind: 'begin' | 'settle', name: string) =>
    queue.run(kind, async () => {
      order.push(`${name} runs`);
      if (name === 'first') await first.promise;
      order.push(`${name} ends`);
    });
  const all = [
    run('begin', 'first'),
    run('begin', 'second'),
    run('settle', 'third'),
    run('settle', 'fourth'),
  ];
  first.resolve();
  await Promise.all(all);
  expect(order).toEqual(
    ['first', 'third', 'fourth', 'second'].flatMap((name) => [`${name} runs`, `${name} ends`]),
  );
});

test('after a transaction during which a call was answered, the next one waits several times as long', async () => {
  const { queue, state } = openQueue();
  await queue.run('begin', () => serve(state));
  const ended = performance.now();
  await queue.run('settle', async () => undefined);
  expect(performance.now() - ended).toBeGreaterThan(2 * workMs);
});

test('after a transaction that followed a call, the next one waits several times as long', async () => {
  const { queue, state } = openQueue();
  state.lastAppCallAt = performance.now();
  await queue.run('begin', () => serve({ lastAppCallAt: 0 }));
  const ended = performance.now();
  await queue.run('begin', async () => undefined);
  expect(performance.now() - ended).toBeGreaterThan(2 * workMs);
});

test('the rest after a transaction of a minute is short', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { queue, state } = openQueue();
  await queue.run('begin', async () => {
    vi.advanceTimersByTime(60_000);
    state.lastAppCallAt = performance.now();
  });
  expect(await queue.run('begin', async () => 'done')).toBe('done');
});

test('fewer renewals begin together until a second after the last call', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { queue, state } = openQueue();
  expect(queue.itemsMax).toBe(Number.POSITIVE_INFINITY);
  state.lastAppCallAt = performance.now();
  expect(queue.itemsMax).toBeLessThan(64);
  vi.advanceTimersByTime(1_000);
  expect(queue.itemsMax).toBeLessThan(64);
  vi.advanceTimersByTime(1);
  expect(queue.itemsMax).toBe(Number.POSITIVE_INFINITY);
});

test('a transaction that fails lets the next one run', async () => {
  const { queue } = openQueue();
  const failed = queue.run('begin', () => Promise.reject(new Error('no database')));
  const next = queue.run('begin', async () => 'done');
  await expect(failed).rejects.toThrow('no database');
  expect(await next).toBe('done');
});

test('a stop ends the rest', async () => {
  const { queue, state, stopping } = openQueue();
  await queue.run('settle', () => serve(state));
  const next = queue.run('settle', async () => performance.now());
  const stopped = performance.now();
  stopping.abort();
  expect((await next) - stopped).toBeLessThan(workMs);
});
