// Work that may wait until the page has nothing else to do.

/** For browsers that do not report idle time. */
const fallbackMs = 2_000;

export function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work);
  else setTimeout(work, fallbackMs);
}
