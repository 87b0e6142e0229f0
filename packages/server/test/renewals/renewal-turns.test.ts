// Whose transaction of the job comes next, and when.

import { expect, onTestFinished, test, vi } from 'vitest';
import { RenewalTurns, type TurnKind } from '../../src/operations/subscriptions/renewal/renewal-turns.ts';
import { waitFor } from '../wait-for.ts';

function openTurns() {
  const state = { lastAppCallAt: Number.NEGATIVE_INFINITY };
  const stopping = new AbortController();
  const turns = new RenewalTurns({
    lastAppCallAt: () => state.lastAppCallAt,
    stopping: stopping.signal,
  });
  return { turns, state, stopping };
}

const workMs = 40;

/** Work of some time, during which a call is answered. */
async function serve(state: { lastAppCallAt: number }): Promise<void> {
  const begun = performance.now();
  state.lastAppCallAt = performance.now();
  await waitFor(() => performance.now() - begun >= workMs, { deadlineMs: 5_000, what: 'the work' });
}

test('transactions run one at a time, settlements before new attempts, otherwise oldest first', async () => {
  const { turns } = openTurns();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const begin = (kind: TurnKind, name: string) =>
    turns.take(kind, async () => {
      order.push(`${name} runs`);
      if (name === 'first') await first.promise;
      order.push(`${name} ends`);
    });
  const all = [
    begin('begin', 'first'),
    begin('begin', 'second'),
    begin('settle', 'third'),
    begin('settle', 'fourth'),
  ];
  first.resolve();
  await Promise.all(all);
  expect(order).toEqual(
    ['first', 'third', 'fourth', 'second'].flatMap((name) => [`${name} runs`, `${name} ends`]),
  );
});

test('a turn passes to the next waiter without a gap', async () => {
  const { turns } = openTurns();
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  const afterMicrotasks = async (count: number) => {
    for (let passed = 0; passed < count; passed += 1) await Promise.resolve();
    await turns.take('begin', work);
  };
  await Promise.all([0, 0, ...Array.from({ length: 30 }, (_, count) => count)].map(afterMicrotasks));
  expect(most).toBe(1);
});

test('after a transaction during which calls were answered the next one waits several times as long', async () => {
  const { turns, state } = openTurns();
  await turns.take('begin', () => serve(state));
  const ended = performance.now();
  await turns.take('begin', async () => undefined);
  expect(performance.now() - ended).toBeGreaterThan(2 * workMs);
});

test('after a transaction preceded by a call the next one waits several times as long', async () => {
  const { turns, state } = openTurns();
  state.lastAppCallAt = performance.now();
  await turns.take('begin', () => serve({ lastAppCallAt: 0 }));
  const ended = performance.now();
  await turns.take('begin', async () => undefined);
  expect(performance.now() - ended).toBeGreaterThan(2 * workMs);
});

test('after a transaction that was blocked for a minute the next one does not wait for minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { turns, state } = openTurns();
  await turns.take('begin', async () => {
    vi.advanceTimersByTime(60_000);
    state.lastAppCallAt = performance.now();
  });
  expect(await turns.take('begin', async () => 'done')).toBe('done');
});

test('smaller batches start until a second after the last call', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { turns, state } = openTurns();
  expect(turns.itemsMax).toBe(Number.POSITIVE_INFINITY);
  state.lastAppCallAt = performance.now();
  expect(turns.itemsMax).toBeLessThan(64);
  vi.advanceTimersByTime(1_000);
  expect(turns.itemsMax).toBeLessThan(64);
  vi.advanceTimersByTime(1);
  expect(turns.itemsMax).toBe(Number.POSITIVE_INFINITY);
});

test('transactions do not pause without calls, and a failed one lets the next one run', async () => {
  const { turns } = openTurns();
  const failed = turns.take('begin', () => Promise.reject(new Error('no database')));
  const next = turns.take('begin', async () => 'done');
  await expect(failed).rejects.toThrow('no database');
  expect(await next).toBe('done');
});

test('a stop ends the pause', async () => {
  const { turns, state, stopping } = openTurns();
  await turns.take('settle', () => serve(state));
  const next = turns.take('settle', async () => performance.now());
  const stopped = performance.now();
  stopping.abort();
  expect((await next) - stopped).toBeLessThan(workMs);
});
