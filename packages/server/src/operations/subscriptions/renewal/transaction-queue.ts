// Runs the transactions of the renewal job one at a time, so that they use one connection at most. While this server
// answers calls, each is followed by a rest.

import PQueue from 'p-queue';
import { pause } from '../../../runtime/pause.ts';

/** What is paid is written before new charges begin. */
const priorities = { begin: 0, settle: 1, rest: 2 } as const;

/** A server counts as answering calls until this long after its last answer, in ms. */
const servingMs = 1_000;

/** A rest is this many times as long as the transaction before it, so that callers hardly wait for renewals. */
const restFactor = 9;

/** Limits the rest after a transaction that waited for a row lock, in ms. */
const restMsMax = 250;

/** How many renewals begin together while calls are answered, so that a transaction delays a call little. */
const itemsMaxWhileServing = 16;

export class TransactionQueue {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #lastAppCallAt: () => number;
  readonly #stopping: AbortSignal;

  /**
   * `lastAppCallAt` returns the instant of performance.now() at which this server last answered a call of an app;
   * `stopping` ends all rests.
   */
  constructor(lastAppCallAt: () => number, stopping: AbortSignal) {
    this.#lastAppCallAt = lastAppCallAt;
    this.#stopping = stopping;
  }

  /** How many renewals may begin together now. */
  get itemsMax(): number {
    return this.#isServing ? itemsMaxWhileServing : Number.POSITIVE_INFINITY;
  }

  run<Result>(kind: 'begin' | 'settle', transaction: () => Promise<Result>): Promise<Result> {
    const runAndRest = async () => {
      const begun = performance.now();
      try {
        return await transaction();
      } finally {
        this.#restAfter(performance.now() - begun);
      }
    };
    return this.#queue.add(runAndRest, { priority: priorities[kind] });
  }

  get #isServing(): boolean {
    return performance.now() - this.#lastAppCallAt() <= servingMs;
  }

  #restAfter(tookMs: number): void {
    const signal = this.#stopping;
    if (!this.#isServing || signal.aborted) return;
    const rest = () => pause(Math.min(restMsMax, restFactor * tookMs), { signal });
    this.#queue.add(rest, { priority: priorities.rest }).catch(() => undefined);
  }
}
