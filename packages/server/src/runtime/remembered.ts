// A value that is cached for some time, for pages and metrics that poll.

/** Concurrent calls share a reading, which later ones get for `forMs`; one that failed is not remembered. */
export function remembered<Value>(
  forMs: number,
  read: (now: number) => Promise<Value>,
): (now: number) => Promise<Value> {
  let last: { readonly readAt: number; readonly reading: Promise<Value> } | undefined;
  return (now) => {
    if (last !== undefined && Math.abs(now - last.readAt) < forMs) return last.reading;
    const fresh = { readAt: now, reading: read(now) };
    last = fresh;
    fresh.reading.catch(() => {
      if (last === fresh) last = undefined;
    });
    return fresh.reading;
  };
}
