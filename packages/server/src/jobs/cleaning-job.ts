// Removes events that are older than the retention time, in small batches and on any number of servers
// at once (docs/decisions/events.md).

import { markAheadMaxMs } from '../domain/clocks/clock-hold.ts';
import { wholeStore } from '../domain/identifiers.ts';
import { dayMs } from '../domain/time.ts';
import type { Log } from '../runtime/log.ts';
import { pause } from '../runtime/pause.ts';
import type { StoreClock } from '../store/clocks/store-clock.ts';
import type { Database } from '../store/connection/database.ts';
import { type AgedEvents, listAppsWithAgedEvents, removeAgedEvents } from '../store/retention/aged-events.ts';
import { PollingJob } from './job-loop.ts';

/**
 * An event that is not delivered yet is retained for at least 4 days, within which its deliveries are given up, by a clock
 * that may be ahead by the 3 days that hold nothing.
 */
const undeliveredRetainedMs = 4 * dayMs + markAheadMaxMs;

/** How often the job runs, in ms: retention is set in days. */
const runEveryMs = 600_000;

/** Apps that one statement of a scan returns. */
const scannedAppsMax = 1_000;

/** Events that one transaction removes: a few ms of work. */
const removedEventsMax = 1_000;

/** The pause after a transaction, in ms, which leaves the database to calls; about 20,000 events a second are removed. */
const restMs = 40;

interface CleaningJobOptions {
  readonly database: Database;
  /** Retention follows its time, and waits while time-driven work is held. */
  readonly clock: StoreClock;
  readonly log: Log;
  readonly retentionDays: number;
  /** Events stay until their month has closed. */
  readonly waitsForMonths: boolean;
}

export class CleaningJob extends PollingJob {
  readonly #options: CleaningJobOptions;
  protected readonly polling = {
    everyMs: runEveryMs,
    failureMessage: 'expired records could not be removed',
  };

  constructor(options: CleaningJobOptions) {
    super(options.log);
    this.#options = options;
  }

  /** Removes everything older than the retention time, once. */
  async runOnce(): Promise<void> {
    const { database, clock, retentionDays, waitsForMonths } = this.#options;
    const { realNow, hold } = await clock.read(database, wholeStore);
    if (hold !== undefined) return;
    const before = realNow - retentionDays * dayMs;
    await this.#removeEvents({ before, undeliveredBefore: realNow - undeliveredRetainedMs, waitsForMonths });
  }

  async #removeEvents(aged: AgedEvents): Promise<void> {
    const { database } = this.#options;
    const { before } = aged;
    const list = (after: string) =>
      listAppsWithAgedEvents(database.storeWide, before, { after, limit: scannedAppsMax });
    await this.#eachApp(list, async (packageName) => {
      const batch = { packageName, ...aged, limit: removedEventsMax };
      let hasMore = true;
      while (hasMore && !this.stopping.aborted) {
        hasMore = await database.transaction({ packageName }, (transaction) =>
          removeAgedEvents(transaction, batch),
        );
        if (hasMore) await this.#rest();
      }
    });
  }

  async #eachApp(
    list: (after: string) => Promise<readonly string[]>,
    clean: (packageName: string) => Promise<void>,
  ): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const packageNames = await list(after);
      for (const packageName of packageNames) {
        if (this.stopping.aborted) return;
        await clean(packageName);
        await this.#rest();
      }
      after = packageNames.at(-1);
    }
  }

  #rest(): Promise<void> {
    return pause(restMs, { signal: this.stopping }).catch(() => undefined);
  }
}
