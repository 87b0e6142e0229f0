// Limits the connections that one app can use for work that waits for locked rows, and for reads of any size
// (docs/decisions/scaling.md).

import PQueue from 'p-queue';
import { Overloaded } from './database-failure.ts';

export interface AppScope {
  readonly packageName: string;
}

/** Work that waits longer, in ms, is not started, because its caller gets a timeout about then. */
const queueWaitMaxMs = 1_500;

/** Waiting work in one queue; more could not start in time. */
const waitingMax = 2_000;

export class AppQueues {
  readonly #slotsMax: number;
  readonly #waitMaxMs: number;
  readonly #queues = new Map<string, PQueue>();

  /** `slotsMax`: what each app can run at once; `patience` multiplies the time limit. */
  constructor(slotsMax: number, patience = 1) {
    this.#slotsMax = slotsMax;
    this.#waitMaxMs = queueWaitMaxMs * patience;
  }

  /**
   * Runs `work` when the app has a free slot; first come, first served.
   * @throws Overloaded if it waits too long; `work` is then not started.
   */
  run<Result>(packageName: string, work: () => Promise<Result>): Promise<Result> {
    return this.#enqueue(packageName, this.#slotsMax, work);
  }

  /** The same for a read of any size, of which an app runs one at a time. */
  runRead<Result>(packageName: string, read: () => Promise<Result>): Promise<Result> {
    // No package name has a slash.
    return this.#enqueue(`${packageName}/reads`, 1, read);
  }

  async #enqueue<Result>(name: string, concurrency: number, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(name) ?? this.#open(name, concurrency);
    if (queue.size >= waitingMax) throw tooLate();
    const since = performance.now();
    return queue.add(() => {
      if (performance.now() - since > this.#waitMaxMs) throw tooLate();
      return work();
    });
  }

  #open(name: string, concurrency: number): PQueue {
    const queue = new PQueue({ concurrency });
    queue.on('idle', () => this.#queues.delete(name));
    this.#queues.set(name, queue);
    return queue;
  }
}

function tooLate(): Overloaded {
  return new Overloaded('Other work of the same app took too long.');
}
