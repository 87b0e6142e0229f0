import { expect, test } from 'vitest';
import { EventLoopDelay } from '../../src/runtime/event-loop-delay.ts';
import { waitFor } from '../wait-for.ts';

/** Keeps this thread busy for `ms` milliseconds. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('the delay of the event loop grows while its rounds take long, and falls afterwards', async () => {
  using delay = new EventLoopDelay();
  expect(delay.meanMs).toBe(0);
  const isLate = () => {
    block(400);
    return delay.meanMs > 50;
  };
  await waitFor(isLate, { deadlineMs: 30_000, what: 'a late event loop' });
  await waitFor(() => delay.meanMs < 50, { deadlineMs: 30_000, what: 'an event loop in time' });
});
