// Lets many concurrent requests share one statement, each with an outcome of its own.

import DataLoader from 'dataloader';

export interface CoalescingLimits {
  /** Requests that share one statement. */
  readonly batchMax: number;
  /** Statements under way at once: while all are, requests gather for the next one. */
  readonly inFlightMax: number;
}

/**
 * A function of one key that is answered together with the calls made around the same time. `run` gets
 * the keys in the order of the calls, equal ones included, and gives as many results. Nothing is cached.
 * When `run` fails, each of its calls fails with the same error.
 */
export function coalesced<Key, Result>(
  limits: CoalescingLimits,
  run: (keys: readonly Key[]) => Promise<readonly Result[]>,
): (key: Key) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let inFlight = 0;

  const dispatch = (): void => {
    while (inFlight < limits.inFlightMax) {
      const flush = waiting.shift();
      if (flush === undefined) return;
      inFlight += 1;
      flush();
    }
  };
  const loader = new DataLoader<Key, Result>(
    async (keys) => {
      try {
        return await run(keys);
      } finally {
        inFlight -= 1;
        dispatch();
      }
    },
    {
      cache: false,
      maxBatchSize: limits.batchMax,
      batchScheduleFn(flush) {
        // After the sockets that are ready have been read: their requests join this statement.
        setImmediate(() => {
          waiting.push(flush);
          dispatch();
        });
      },
    },
  );
  return (key) => loader.load(key);
}
