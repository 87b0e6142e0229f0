// Counts what apps sold and what became of it, off the path of calls and on any number of servers
// (docs/decisions/statistics.md).

import { countStep } from '../../operations/statistics/count-app.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Database } from '../../store/connection/database.ts';
import { listUncountedApps } from '../../store/statistics/statistic-cursors.ts';
import { logJobFailure, PollingJob } from '../job-loop.ts';

/** How often the job polls for new events, in ms. */
const pollEveryMs = 1_000;

/** The pause after a round is at least this many times as long as the round took, so that calls have the database. */
const restShare = 10;

/** Apps that one round counts. */
const appsMax = 1_000;

/** Steps that one round takes in an app, so that the others do not wait for it. */
const stepsOfAppMax = 10;

const failureMessage = 'statistics could not be counted';

interface StatisticsJobOptions {
  readonly database: Pick<Database, 'transaction' | 'storeWide'>;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
  readonly timeZone: string;
  /** Smaller steps, in tests. */
  readonly countedMax?: number;
}

export class StatisticsJob extends PollingJob {
  readonly #options: StatisticsJobOptions;
  protected readonly polling = { everyMs: pollEveryMs, restShare, failureMessage };

  constructor(options: StatisticsJobOptions) {
    super(options.log);
    this.#options = options;
  }

  /** Counts what has happened since the last round, in limited steps. */
  async runOnce(): Promise<void> {
    for (const packageName of await listUncountedApps(this.#options.database.storeWide, appsMax)) {
      if (this.stopping.aborted) return;
      await this.#count(packageName);
    }
  }

  /** An app that cannot be counted does not stop the others. */
  async #count(packageName: string): Promise<void> {
    const { database, clock, timeZone, countedMax } = this.#options;
    try {
      let hasMore = true;
      for (let step = 0; hasMore && step < stepsOfAppMax && !this.stopping.aborted; step += 1) {
        hasMore = await countStep(database, { packageName, timeZone, now: clock.now(), countedMax });
      }
    } catch (error) {
      logJobFailure(this.log, { error, app: packageName }, failureMessage);
    }
  }
}
