// Measures how long something takes by the time that this process had: a bound is that of the server, which runs in it,
// and not that of a machine which gives its processors to others meanwhile.

/** So often the process wants to run. */
const tickMs = 10;

/** A gap between two looks that is longer than the loop is late by itself. */
const gapMs = 2 * tickMs;

/** Like performance.now(), which stands still while the process waits for a processor. Its own work counts as ever. */
export class OwnTime implements Disposable {
  readonly #timer = setInterval(() => this.now(), tickMs);
  #withheldMs = 0;
  #lookedAt = performance.now();
  #usedMs = usedMs();

  now(): number {
    const now = performance.now();
    const used = usedMs();
    const gap = now - this.#lookedAt;
    // What of a gap was neither rest until the next look nor work was a wait.
    if (gap > gapMs) this.#withheldMs += Math.max(0, gap - tickMs - (used - this.#usedMs));
    this.#lookedAt = now;
    this.#usedMs = used;
    return now - this.#withheldMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Of the processors, by all threads, ms. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
