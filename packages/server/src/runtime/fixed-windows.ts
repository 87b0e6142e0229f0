// Counts events per key in windows of one length. A window starts with its first event.

import { LRUCache } from 'lru-cache';

interface Window {
  readonly since: number;
  count: number;
}

/** The most recent keys are counted: about 200 bytes each. */
const keysMax = 10_000;

export class FixedWindows {
  readonly #windowMs: number;
  /** Created when it is first needed, because it allocates room for all of its keys. */
  #windows: LRUCache<string, Window> | undefined;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Counts one event and returns the count of its window, and the time until that ends, in ms. */
  count(key: string, now: number): { readonly count: number; readonly restMs: number } {
    this.#windows ??= new LRUCache({ max: keysMax });
    const known = this.#windows.get(key);
    const isOpen = known !== undefined && now >= known.since && now < known.since + this.#windowMs;
    const window = isOpen ? known : { since: now, count: 0 };
    window.count += 1;
    if (!isOpen) this.#windows.set(key, window);
    return { count: window.count, restMs: window.since + this.#windowMs - now };
  }
}
