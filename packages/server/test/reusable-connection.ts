// When a connection that has carried a response may carry the next request.

const nextCycle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** undici reuses a connection from the next cycle of the event loop on. */
export async function untilReusable(): Promise<void> {
  await nextCycle();
  await nextCycle();
}
