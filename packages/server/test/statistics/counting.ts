// Runs the job of statistics in tests, which may die between any two of its steps.

import { pino } from 'pino';
import { StatisticsJob } from '../../src/jobs/statistics/statistics-job.ts';
import type { Database, Queryable } from '../../src/store/connection/database.ts';
import { listUncountedApps } from '../../src/store/statistics/statistic-cursors.ts';
import { testNow } from '../harness.ts';
import { TestClock } from '../test-clock.ts';

type CountingDatabase = Pick<Database, 'transaction' | 'storeWide'>;

class Died extends Error {
  override readonly name = 'Died';
}

/** A connection that is lost after some steps: statements, commits, and what comes after a commit. */
function dyingAfter(database: Database, stepsMax: number): CountingDatabase {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps > stepsMax) throw new Died();
  };
  const dying = (queryable: Queryable): Queryable => ({
    async rows(statement, values) {
      step();
      return queryable.rows(statement, values);
    },
  });
  return {
    storeWide: dying(database.storeWide),
    async transaction(scope, work) {
      const result = await database.transaction(scope, async (transaction) => {
        const done = await work(dying(transaction));
        step();
        return done;
      });
      step();
      return result;
    },
  };
}

interface Counting {
  readonly timeZone?: string;
  /** Events and purchases that one step counts. */
  readonly countedMax?: number;
  /** The job dies after so many steps; undefined: it does not. */
  readonly diesAfter?: number | undefined;
}

/** One round of a new job. */
export async function countRound(
  database: Database,
  { timeZone = 'UTC', countedMax = 1_000, diesAfter }: Counting = {},
): Promise<void> {
  const failures: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void failures.push(line) });
  const used = diesAfter === undefined ? database : dyingAfter(database, diesAfter);
  await using job = new StatisticsJob({
    database: used,
    clock: new TestClock(testNow),
    log,
    timeZone,
    countedMax,
  });
  try {
    await job.runOnce();
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
  const unexpected = failures.find((line) => !line.includes('"Died"'));
  if (unexpected !== undefined) throw new Error(unexpected);
}

/** More rounds than any test needs. */
const roundsMax = 200;

/** Counts everything. */
export async function countAll(database: Database, counting: Counting = {}): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    if ((await listUncountedApps(database.storeWide, 1)).length === 0) return;
    await countRound(database, counting);
  }
  throw new Error(`Something is not counted after ${roundsMax} rounds.`);
}
