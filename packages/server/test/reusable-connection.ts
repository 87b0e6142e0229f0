// When a connection that has carried a response may carry the next request, and when the time of a request is over.

import { onTestFinished, vi } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';

const nextCycle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Starts a request whose time passes when `hasArrived` is true, and what its server has written until then has been read,
 * however long that takes on a busy machine.
 */
export async function timedOut<Result>(
  send: () => Promise<Result>,
  { withinMs, hasArrived }: { readonly withinMs: number; readonly hasArrived: () => boolean },
): Promise<Result> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sending = send();
  await waitFor(hasArrived, { what: 'the arrival of a request' });
  await untilReusable();
  vi.advanceTimersByTime(withinMs);
  return await sending;
}

/** undici reuses a connection from the next cycle of the event loop on. */
export async function untilReusable(): Promise<void> {
  await nextCycle();
  await nextCycle();
}
