// When a connection that has carried a response may carry the next request.

import { setImmediate } from 'node:timers/promises';

/** undici reuses a connection from the next cycle of the event loop on. */
export async function untilReusable(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
