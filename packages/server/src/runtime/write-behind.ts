// Writes items later and in batches, so that no call waits for them. An item that does not fit in memory or cannot be
// written is dropped and counted, never written twice.

import { pause } from './pause.ts';

interface WriteBehindOptions<Item> {
  /** Items that wait at once; the next one is dropped. */
  readonly waitingMax: number;
  /** Items of one write. */
  readonly batchMax: number;
  /** How long an item waits for others to join its batch, in ms. */
  readonly gatherMs: number;
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** Called for items that will not be written; `error` is set if a write failed. */
  readonly onDropped: (count: number, error?: unknown) => void;
}

export class WriteBehind<Item> implements AsyncDisposable {
  readonly #options: WriteBehindOptions<Item>;
  #waiting: Item[] = [];
  #added = 0;
  #settled = 0;
  /** The wait for others to join and the write after it; undefined when nothing is to be done. */
  #step: Promise<void> | undefined;
  #hurry = new AbortController();

  constructor(options: WriteBehindOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#waiting.length >= this.#options.waitingMax) {
      this.#options.onDropped(1);
      return;
    }
    this.#waiting.push(item);
    this.#added += 1;
    this.#step ??= this.#next();
  }

  /** Resolves when all that was added before is written or dropped. */
  async flush(): Promise<void> {
    const last = this.#added;
    while (this.#settled < last) {
      this.#hurry.abort();
      await this.#step;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  async #next(): Promise<void> {
    const { gatherMs, batchMax, write, onDropped } = this.#options;
    // A full batch is written at once.
    if (this.#waiting.length < batchMax) {
      this.#hurry = new AbortController();
      await pause(gatherMs, { signal: this.#hurry.signal }).catch(() => undefined);
    }
    const batch = this.#waiting.slice(0, batchMax);
    this.#waiting = this.#waiting.slice(batchMax);
    try {
      await write(batch);
    } catch (error) {
      onDropped(batch.length, error);
    }
    this.#settled += batch.length;
    this.#step = this.#waiting.length > 0 ? this.#next() : undefined;
  }
}
