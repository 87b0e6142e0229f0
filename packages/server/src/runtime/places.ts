// Bounds how many pieces of work of one kind run at once; those that come meanwhile wait for a place, in the
// order in which they came.

import { pause } from './pause.ts';

interface Waiting {
  readonly begin: () => void;
}

export class Places {
  readonly #limits: {
    readonly atOnceMax: number;
    readonly waitingMax: number;
    readonly waitMs: number;
  };
  #waiting: Waiting[] = [];
  #taken = 0;

  /** `waitMs`: who has waited so long gets no place. */
  constructor(limits: { atOnceMax: number; waitingMax: number; waitMs: number }) {
    this.#limits = limits;
  }

  /** Runs `work` when there is a place for it; undefined, with nothing begun, when none came free in time. */
  async take<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#taken < this.#limits.atOnceMax) this.#taken += 1;
    else if (!(await this.#wait())) return undefined;
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  async #wait(): Promise<boolean> {
    if (this.#waiting.length >= this.#limits.waitingMax) return false;
    const turn = new AbortController();
    const waiting = { begin: () => turn.abort() };
    this.#waiting.push(waiting);
    try {
      await pause(this.#limits.waitMs, { signal: turn.signal });
    } catch (error) {
      if (!turn.signal.aborted) throw error;
    }
    // Both may have come at once: then it has its place.
    if (turn.signal.aborted) return true;
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    return false;
  }

  /** The place of who has ended goes to who has waited longest. */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next.begin();
  }
}
