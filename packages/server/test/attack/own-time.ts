// Measures how long something takes by the time that this process had: a bound is that of the server, which runs in it,
// and not that of a machine which gives its processors to others meanwhile.

import { waitFor } from '../wait-for.ts';

/** So long the process rests from one look at a condition to the next. */
const tickMs = 20;

/** Nothing is measured for longer. */
const deadlineMs = 600_000;

/** A gap between two looks that is longer than the loop is late by itself. */
const gapMs = 2 * tickMs;

/** Like performance.now(), which stands still while the process waits for a processor. Its own work counts as ever. */
export class OwnTime implements Disposable {
  #isOver = false;
  #withheldMs = 0;
  #lookedAt = performance.now();
  #usedMs = usedMs();

  constructor() {
    const look = (): boolean => {
      this.now();
      return this.#isOver;
    };
    void waitFor(look, { deadlineMs, what: 'the end of a measurement' });
  }

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
    this.#isOver = true;
  }
}

/** Of the processors, by all threads, ms. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
