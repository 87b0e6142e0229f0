// The job of a production server without a payment gateway: it renews nothing, and logs when it should.

import { logAlert } from '../../runtime/alert-lines.ts';
import type { Log } from '../../runtime/log.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import { listDueApps } from '../../store/subscriptions/due-renewals.ts';
import { PollingJob } from '../job-loop.ts';

/** How often the job polls, in ms. */
const pollEveryMs = 10_000;

export class MissingGatewayJob extends PollingJob {
  protected readonly polling = {
    everyMs: pollEveryMs,
    failureMessage: 'due subscriptions could not be read',
  };
  readonly #store: DatedStore;
  #wereDue = false;

  constructor(store: DatedStore, log: Log) {
    super(log);
    this.#store = store;
  }

  /** Logs one line when subscriptions are due that were not at the last poll. */
  async runOnce(): Promise<void> {
    const { clock, database } = this.#store;
    const [app] = await listDueApps(database.storeWide, { now: clock.now(), limit: 1 });
    if (app !== undefined && !this.#wereDue)
      logAlert(this.log, 'gatewayMissing', { app: app.packageName, dueTime: app.dueTime });
    this.#wereDue = app !== undefined;
  }
}
