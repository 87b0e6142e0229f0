// Work that may wait until the page has nothing else to do.

/** The first page reads and draws its data first, and what its user does then. */
const delayMs = 3_000;

export function whenIdle(work: () => void): void {
  setTimeout(() => {
    // Safari does not report idle time.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(work);
    else work();
  }, delayMs);
}
