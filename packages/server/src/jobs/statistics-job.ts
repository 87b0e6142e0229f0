// Counts what apps sold and what became of it, off the path of calls and on any number of servers
// (docs/decisions/statistics.md).

import type { Log } from '../runtime/log.ts';
import type { Database } from '../store/connection/database.ts';
import { countStep, listUncountedApps, type UncountedApp } from '../store/statistics/statistic-days.ts';
import { logJobFailure, moreToDo, PollingJob } from './job-loop.ts';

/** How often the job polls for new events, in ms. */
const pollEveryMs = 10_000;

/** The pause after a round is at least this many times as long as the round took, so that calls have the database. */
const restShare = 10;

/** Apps that one round counts, each with one step. */
const appsMax = 1_000;

const failureMessage = 'statistics could not be counted';

interface StatisticsJobOptions {
  readonly database: Pick<Database, 'rows' | 'transaction' | 'storeWide'>;
  readonly log: Log;
  readonly timeZone: string;
}

export class StatisticsJob extends PollingJob {
  readonly #options: StatisticsJobOptions;
  protected readonly polling = { everyMs: pollEveryMs, restShare, failureMessage };

  constructor(options: StatisticsJobOptions) {
    super(options.log);
    this.#options = options;
  }

  async runOnce(): Promise<typeof moreToDo | undefined> {
    let hasMore = false;
    for (const app of await listUncountedApps(this.#options.database.storeWide, appsMax)) {
      if (this.stopping.aborted) return undefined;
      if (await this.#count(app)) hasMore = true;
    }
    return hasMore ? moreToDo : undefined;
  }

  /** An app that cannot be counted does not stop the others, and waits for the next poll. */
  async #count(app: UncountedApp): Promise<boolean> {
    try {
      return await countStep(this.#options.database, app, this.#options.timeZone);
    } catch (error) {
      logJobFailure(this.log, { error, app: app.packageName }, failureMessage);
      return false;
    }
  }
}
