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
  const lateMs = await waitFor(
    () => {
      block(400);
      return delay.meanMs > 200 && delay.meanMs;
    },
    { what: 'a late event loop' },
  );
  await waitFor(() => delay.meanMs < lateMs / 2, { what: 'an event loop that is less late' });
});
