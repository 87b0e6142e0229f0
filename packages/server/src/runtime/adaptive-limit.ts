// Limits what is in flight at once, in total and per key. The limit of a key grows by one with each response and shrinks
// when there is none; keys that do not respond get one slot each and few of them are open, so that they delay no other.

import { LRUCache } from 'lru-cache';

/** Unresponsive keys that are remembered while they are closed. */
const rememberedMax = 10_000;

export interface AdaptiveLimits {
  /** Slots in use at once. */
  readonly total: number;
  /** While this many slots are in use, a key acquires no more than `initial`. */
  readonly crowdedFrom: number;
  readonly perKeyMax: number;
  /** The limit of a new key, and of one that responds again. */
  readonly initial: number;
  /** How far a missing response lowers the limit of its key; at 1 the key is unresponsive. */
  readonly noResponseCost: number;
  /** Unresponsive keys that can be open at once. */
  readonly unresponsiveMax: number;
}

interface KeySlots {
  used: number;
  limit: number;
}

export class AdaptiveLimit {
  readonly #limits: AdaptiveLimits;
  readonly #open = new Map<string, KeySlots>();
  readonly #remembered = new LRUCache<string, true>({ max: rememberedMax });
  #used = 0;

  constructor(limits: AdaptiveLimits) {
    this.#limits = limits;
  }

  /** Unresponsive keys, the one that was closed first comes first. */
  get unresponsive(): string[] {
    return [...this.#remembered.rkeys()];
  }

  /** How many more unresponsive keys can be opened. */
  get unresponsiveRoom(): number {
    const open = [...this.#open.values()].filter(({ limit }) => limit === 1);
    return Math.max(0, this.#limits.unresponsiveMax - open.length);
  }

  /** False if the key is unresponsive and too many such keys are open. */
  open(key: string): boolean {
    const isUnresponsive = this.#remembered.has(key);
    if (isUnresponsive && this.unresponsiveRoom === 0) return false;
    this.#open.set(key, { used: 0, limit: isUnresponsive ? 1 : this.#limits.initial });
    return true;
  }

  /** Forgets a key that has no slot in use, unless it is unresponsive. */
  close(key: string): void {
    if (this.isUnresponsive(key)) this.#remembered.set(key, true);
    else this.#remembered.delete(key);
    this.#open.delete(key);
  }

  isUnresponsive(key: string): boolean {
    return this.limitOf(key) === 1;
  }

  /** 0 for a key that is not open. */
  limitOf(key: string): number {
    return this.#open.get(key)?.limit ?? 0;
  }

  /** How much of the limit of an open key is free, from 0 to 1. */
  freeShare(key: string): number {
    const { used, limit } = this.#slotsOf(key);
    return Math.max(0, 1 - used / limit);
  }

  /** Acquires a slot, if the key can have one more now. */
  acquire(key: string): boolean {
    const slots = this.#slotsOf(key);
    const { total, crowdedFrom, initial } = this.#limits;
    const limit = this.#used >= crowdedFrom ? Math.min(slots.limit, initial) : slots.limit;
    if (this.#used >= total || slots.used >= limit) return false;
    slots.used += 1;
    this.#used += 1;
    return true;
  }

  /** Releases a slot; `unused` leaves the limit of the key as it is. */
  release(key: string, result: 'response' | 'noResponse' | 'unused'): void {
    const slots = this.#slotsOf(key);
    slots.used -= 1;
    this.#used -= 1;
    const { perKeyMax, initial, noResponseCost } = this.#limits;
    if (result === 'noResponse') slots.limit = Math.max(1, slots.limit - noResponseCost);
    else if (result === 'response') {
      slots.limit = slots.limit === 1 ? initial : Math.min(perKeyMax, slots.limit + 1);
    }
  }

  #slotsOf(key: string): KeySlots {
    const slots = this.#open.get(key);
    if (slots === undefined) throw new Error('A slot of a closed key was used.');
    return slots;
  }
}
