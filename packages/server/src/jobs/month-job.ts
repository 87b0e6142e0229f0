// Closes the months of apps, on any number of servers (docs/decisions/statements.md).

import { wholeStore } from '../domain/identifiers.ts';
import type { Log } from '../runtime/log.ts';
import { pause } from '../runtime/pause.ts';
import type { Database } from '../store/connection/database.ts';
import { closeMonths, type MonthStore } from '../store/months/month-closing.ts';
import { listAppsWithOverMonths } from '../store/months/open-months.ts';
import { sqlTimeZone } from '../store/statistics/statistic-days.ts';
import { findStatisticsZone } from '../store/statistics/statistics-zone.ts';
import { logJobFailure, PollingJob } from './job-loop.ts';

/** How often the job looks for months that are over, in ms. */
const pollEveryMs = 60_000;

/** Apps that one statement of a scan returns. */
const scannedAppsMax = 1_000;

/** The pause after an app is this many times as long as its months took, so that calls have the database. */
const restShare = 1;

const failureMessage = 'a month could not be closed';

interface MonthJobOptions extends MonthStore {
  readonly database: Pick<Database, 'rows' | 'scopedTo' | 'storeWide' | 'transaction'>;
  readonly log: Log;
}

export class MonthJob extends PollingJob {
  readonly #options: MonthJobOptions;
  protected readonly polling = { everyMs: pollEveryMs, failureMessage };

  constructor(options: MonthJobOptions) {
    super(options.log);
    this.#options = options;
  }

  /** Closes the months of all apps that are over. */
  async runOnce(): Promise<void> {
    const { database, clock } = this.#options;
    const { realNow, hold } = await clock.read(database, wholeStore);
    if (hold !== undefined) return;
    const timeZone = sqlTimeZone((await findStatisticsZone(database)) ?? this.#options.timeZone);
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = { after, limit: scannedAppsMax };
      const apps = await listAppsWithOverMonths(database.storeWide, { timeZone, realNow }, page);
      for (const packageName of apps) {
        if (this.stopping.aborted) return;
        await this.#close(packageName);
      }
      after = apps.at(-1);
    }
  }

  /** An app whose months cannot be closed does not stop the others, and waits for the next poll. */
  async #close(packageName: string): Promise<void> {
    const begun = performance.now();
    try {
      await closeMonths(this.#options, packageName);
    } catch (error) {
      logJobFailure(this.log, { error, app: packageName }, failureMessage);
    }
    const ms = restShare * (performance.now() - begun);
    await pause(ms, { signal: this.stopping }).catch(() => undefined);
  }
}
