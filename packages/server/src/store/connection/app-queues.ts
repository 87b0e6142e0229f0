// Limits the connections that one app can use for work that waits for locked rows and for reads of any size: work on one
// record is serialized, and each app has a limited number of slots (docs/decisions/scaling.md).

import PQueue from 'p-queue';
import { DatabaseUnavailable } from './database-failure.ts';

/** The rows that the work locks, or the reads of any size of an app. */
export interface QueueScope {
  readonly packageName: string;
  /** A name of a record of the app; work on the same record never runs concurrently. */
  readonly record: string;
}

/** Work that waits longer, in ms, is not started, because its caller gets a timeout about then. */
const queueWaitMaxMs = 1_500;

/** Waiting work in one queue; more could not start in time. */
const waitingMax = 2_000;

export class AppQueues {
  readonly #slotsMax: number;
  readonly #queues = new Map<string, PQueue>();

  /** `slotsMax`: the slots of each app. */
  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax;
  }

  /**
   * Runs `work` when no other work on its record is running and its app has a free slot; first come, first served.
   * @throws DatabaseUnavailable if it waits too long; `work` is then not started.
   */
  async run<Result>({ packageName, record }: QueueScope, work: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    const begin = (): Promise<Result> => {
      if (performance.now() - since > queueWaitMaxMs) throw tooLate();
      return work();
    };
    // No package name has a slash.
    return this.#enqueue(`${packageName}/${record}`, 1, () =>
      this.#enqueue(packageName, this.#slotsMax, begin),
    );
  }

  #enqueue<Result>(name: string, concurrency: number, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(name) ?? this.#open(name, concurrency);
    if (queue.size >= waitingMax) throw tooLate();
    return queue.add(work);
  }

  #open(name: string, concurrency: number): PQueue {
    const queue = new PQueue({ concurrency });
    queue.on('idle', () => this.#queues.delete(name));
    this.#queues.set(name, queue);
    return queue;
  }
}

function tooLate(): DatabaseUnavailable {
  return new DatabaseUnavailable('Other work on the same record or app took too long.');
}
