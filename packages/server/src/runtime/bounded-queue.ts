// A queue with a limited number of waiters, each of which waits for a limited time.

import PQueue from 'p-queue';
import { pause } from './pause.ts';

interface QueueLimits {
  readonly concurrency: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}

export class BoundedQueue {
  readonly #queue: PQueue;
  readonly #limits: QueueLimits;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: limits.concurrency });
  }

  /** Runs `work` when a slot is free; returns undefined, without running it, if too many wait or it waits too long. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#queue.size >= this.#limits.waitingMax) return undefined;
    const late = new AbortController();
    const begun = new AbortController();
    pause(this.#limits.waitMs, { signal: begun.signal }).then(
      () => late.abort(),
      () => undefined,
    );
    const running = this.#queue.add(
      () => {
        begun.abort();
        return work();
      },
      { signal: late.signal },
    );
    try {
      return await running;
    } catch (error) {
      if (late.signal.aborted) return undefined;
      throw error;
    }
  }
}
