// Measures durations without the time in which this process, which also runs the server, waited for a processor, so that
// time limits hold on a busy machine.

import { waitFor } from '../wait-for.ts';

/** The pause between two checks of a condition. */
const tickMs = 20;

/** The maximum duration of a measurement. */
const deadlineMs = 600_000;

/** A longer gap between two checks is not caused by the delay of the event loop alone. */
const gapMs = 2 * tickMs;

/** Like performance.now(), but stops while the process waits for a processor. */
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
    // The part of a gap that was neither the pause nor CPU time was a wait.
    if (gap > gapMs) this.#withheldMs += Math.max(0, gap - tickMs - (used - this.#usedMs));
    this.#lookedAt = now;
    this.#usedMs = used;
    return now - this.#withheldMs;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }
}

/** The CPU time of all threads, in ms. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
