// Counts events per key in windows of one length. A window starts with its first event.

import { LRUCache } from 'lru-cache';

interface Window {
  readonly since: number;
  count: number;
}

export class FixedWindows {
  readonly #windowMs: number;
  readonly #keysMax: number;
  /** Created when it is first needed, because it allocates room for all of its keys. */
  #windows: LRUCache<string, Window> | undefined;

  /** `keysMax`: keys that are counted at once, the most recent ones. */
  constructor({ windowMs, keysMax }: { readonly windowMs: number; readonly keysMax: number }) {
    this.#windowMs = windowMs;
    this.#keysMax = keysMax;
  }

  /** Counts one event and returns the count of its window, and the time until that ends, in ms. */
  count(key: string, now: number): { readonly count: number; readonly restMs: number } {
    this.#windows ??= new LRUCache({ max: this.#keysMax });
    const known = this.#windows.get(key);
    const isOpen = known !== undefined && now >= known.since && now < known.since + this.#windowMs;
    const window = isOpen ? known : { since: now, count: 0 };
    window.count += 1;
    if (!isOpen) this.#windows.set(key, window);
    return { count: window.count, restMs: window.since + this.#windowMs - now };
  }
}
