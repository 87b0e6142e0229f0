// Whose transaction of the job comes next, and when. They go one after another, so that however much is due, one
// connection and one processor are busy with it at most, and what waits meanwhile shares the next transaction.

import { pause } from '../../../runtime/pause.ts';

export type TurnKind =
  /** Writes what is paid: it goes first. */
  | 'settle'
  /** Takes on more. */
  | 'begin';

/** Until so long after a call of an app was answered the next one is expected, in ms. */
const servingMs = 1_000;

/**
 * While calls are answered the job rests after each transaction, for so many times as long as it took: who waits
 * for an answer comes before what falls due.
 */
const restFactor = 9;

/** And then begins so many renewals together at most: a call waits for no longer than a few of them take. */
const itemsMaxWhileServing = 16;

/** A transaction that waited for a row rests no longer than this, in ms. */
const restMsMax = 250;

export class RenewalTurns {
  readonly #waiting: Readonly<Record<TurnKind, (() => void)[]>> = { settle: [], begin: [] };
  readonly #lastAppCallAt: () => number;
  readonly #stopping: AbortSignal;
  #isTaken = false;

  /** `lastAppCallAt`: as of the job. `stopping`: nothing rests any more. */
  constructor({ lastAppCallAt, stopping }: { lastAppCallAt: () => number; stopping: AbortSignal }) {
    this.#lastAppCallAt = lastAppCallAt;
    this.#stopping = stopping;
  }

  /** How many renewals a batch may hold now. */
  get itemsMax(): number {
    return this.#isServing() ? itemsMaxWhileServing : Number.POSITIVE_INFINITY;
  }

  /** Runs `work` when nothing else runs and nothing of its kind has waited longer. */
  async take<Result>(kind: TurnKind, work: () => Promise<Result>): Promise<Result> {
    // Who is let in takes the turn over from who ended.
    if (this.#isTaken) await new Promise<void>((begin) => this.#waiting[kind].push(begin));
    this.#isTaken = true;
    const begun = performance.now();
    try {
      return await work();
    } finally {
      const restMs = this.#isServing() ? Math.min(restMsMax, restFactor * (performance.now() - begun)) : 0;
      this.#rest(restMs).then(() => this.#passOn(), undefined);
    }
  }

  #isServing(): boolean {
    return performance.now() - this.#lastAppCallAt() <= servingMs;
  }

  async #rest(ms: number): Promise<void> {
    if (ms === 0 || this.#stopping.aborted) return;
    await pause(ms, { signal: this.#stopping }).catch(() => undefined);
  }

  #passOn(): void {
    const next = this.#waiting.settle.shift() ?? this.#waiting.begin.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
