// Limits the connections that work waiting for locked rows can use: work on one record runs in sequence, and each app has
// a limited number of slots (docs/decisions/shared-statements.md).

import PQueue from 'p-queue';
import { DatabaseUnavailable } from './database-failure.ts';

/** The rows that the work locks. */
export interface TurnScope {
  readonly packageName: string;
  /** A name of a record of the app; work on the same record never runs concurrently. */
  readonly record: string;
}

/** Work does not start later than this, in ms, since its caller is answered about then. */
const turnWaitMaxMs = 1_500;

/** The length of one queue: more work could not start in time. */
const waitingMax = 2_000;

export class Turns {
  readonly #inTurnMax: number;
  readonly #queues = new Map<string, PQueue>();

  /** `inTurnMax`: the slots of each app. */
  constructor(inTurnMax: number) {
    this.#inTurnMax = inTurnMax;
  }

  /**
   * Runs `work` as soon as nothing else of its record runs and its app has a free slot; first come, first served.
   * @throws DatabaseUnavailable, without a start of `work`, if it waits too long.
   */
  async take<Result>({ packageName, record }: TurnScope, work: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    const begin = (): Promise<Result> => {
      if (performance.now() - since > turnWaitMaxMs) throw tooLate();
      return work();
    };
    // No package name has a slash.
    return this.#enqueue(`${packageName}/${record}`, 1, () =>
      this.#enqueue(packageName, this.#inTurnMax, begin),
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
