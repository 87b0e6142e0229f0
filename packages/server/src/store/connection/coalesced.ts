// Lets many concurrent requests share one statement, each with its own outcome.

import DataLoader from 'dataloader';
import type { Statement } from '../statements/statement.ts';
import type { Database } from './database.ts';
import { Overloaded } from './database-failure.ts';

/** A call that waits longer for its statement, in ms, is skipped, because its caller gets a timeout about then. */
const statementWaitMaxMs = 1_500;

/** Calls of one kind that wait for a statement, of some kilobytes each; a healthy database has hundreds. */
const waitingCallsMax = 20_000;

interface Coalescing<Key> {
  /** Requests that share one statement. */
  readonly batchMax: number;
  /** Statements of a group in flight at once; further requests wait for the next one. */
  readonly inFlightMax: number;
  /** On a cluster, the app is the group, so that a statement runs on one shard. */
  readonly packageNameOf?: (key: Key) => string;
  /** Only calls of the same group share a statement, and no group waits for another; by default all are one group. */
  readonly groupOf?: (key: Key) => string;
}

type Load<Key, Result> = (key: Key) => Promise<Result>;
type Run<Key, Result> = (keys: readonly Key[]) => Promise<readonly Result[]>;

/** The package name of a call whose key is the package name. */
export const ownName = (packageName: string): string => packageName;

/** Lookups that share a statement, and statements in flight: one is short and has the rows of all its keys. */
const lookupLimits = { batchMax: 100, inFlightMax: 2 } as const;

/**
 * Returns a function that finds the row of a key, uncached and sharing a statement with concurrent calls. `sql` gets
 * different keys as its only parameter; `packageNameOf` is for keys from which the app is known.
 */
export function sharedLookup<Key, Row>(
  database: Database,
  { sql, keyOf, packageNameOf }: SharedLookup<Key, Row>,
): Load<Key, Row | undefined> {
  const options = { ...lookupLimits, ...(packageNameOf && { packageNameOf }) };
  return coalesced(database, options, async (keys: readonly Key[]) => {
    const rows = await database.rows(sql, [[...new Set(keys)]]);
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    return keys.map((key) => byKey.get(key));
  });
}

interface SharedLookup<Key, Row> extends Pick<Coalescing<Key>, 'packageNameOf'> {
  readonly sql: Statement<Row>;
  readonly keyOf: (row: Row) => Key;
}

/**
 * Returns a function of one key whose concurrent calls share a run. `run` gets the keys in the order of the calls, with
 * duplicates, and returns as many results. Nothing is cached. When `run` fails, each of its calls fails with the same
 * error. A call that waits too long, or is made while too many wait, fails with Overloaded, and `run` does not get its
 * key.
 */
export function coalesced<Key, Result>(
  { isDistributed, patience }: Pick<Database, 'isDistributed' | 'patience'>,
  coalescing: Coalescing<Key>,
  run: Run<Key, Result>,
): Load<Key, Result> {
  const { packageNameOf, groupOf = isDistributed ? packageNameOf : undefined } = coalescing;
  const options = { ...coalescing, waitMaxMs: statementWaitMaxMs * patience };
  if (groupOf === undefined) return openGroup(options, run);
  const groups = new Map<string, { readonly load: Load<Key, Result>; calls: number }>();
  return async (key) => {
    const name = groupOf(key);
    const group = groups.get(name) ?? { load: openGroup(options, run), calls: 0 };
    groups.set(name, group);
    group.calls += 1;
    try {
      return await group.load(key);
    } finally {
      group.calls -= 1;
      if (group.calls === 0) groups.delete(name);
    }
  };
}

function openGroup<Key, Result>(
  { batchMax, inFlightMax, waitMaxMs }: Coalescing<Key> & { readonly waitMaxMs: number },
  run: Run<Key, Result>,
): Load<Key, Result> {
  const waiting: (() => void)[] = [];
  let waitingCalls = 0;
  let inFlight = 0;

  const dispatch = (): void => {
    while (inFlight < inFlightMax) {
      const flush = waiting.shift();
      if (flush === undefined) return;
      inFlight += 1;
      flush();
    }
  };
  const loader = new DataLoader<Call<Key>, Result>(
    async (calls) => {
      waitingCalls -= calls.length;
      try {
        return await runWithinDeadline(calls, waitMaxMs, run);
      } finally {
        inFlight -= 1;
        dispatch();
      }
    },
    {
      cache: false,
      maxBatchSize: batchMax,
      batchScheduleFn(flush) {
        // By then, all sockets that are ready have been read.
        setImmediate(() => {
          waiting.push(flush);
          dispatch();
        });
      },
    },
  );
  return (key) => {
    if (waitingCalls >= waitingCallsMax) {
      return Promise.reject(new Overloaded('Too many calls wait for a statement.'));
    }
    waitingCalls += 1;
    return loader.load({ key, since: performance.now() });
  };
}

interface Call<Key> {
  readonly key: Key;
  readonly since: number;
}

/** Fails the calls that waited too long, which are first in the queue, and runs the others. */
async function runWithinDeadline<Key, Result>(
  calls: readonly Call<Key>[],
  waitMaxMs: number,
  run: Run<Key, Result>,
): Promise<readonly (Result | Error)[]> {
  const oldest = performance.now() - waitMaxMs;
  const first = calls.findIndex(({ since }) => since >= oldest);
  const inTime = first === -1 ? [] : calls.slice(first);
  const late = calls
    .slice(0, calls.length - inTime.length)
    .map(() => new Overloaded('The call waited too long for a statement.'));
  return inTime.length === 0 ? late : [...late, ...(await run(inTime.map(({ key }) => key)))];
}
