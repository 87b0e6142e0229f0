// Reports this process to the others of the store.

import { reportEveryMs } from '../operations/status/living-processes.ts';
import type { ProcessActivity } from '../operations/status/process-activity.ts';
import type { Log } from '../runtime/log.ts';
import type { Database } from '../store/connection/database.ts';
import { reportProcess } from '../store/status/server-processes.ts';
import { PollingJob } from './job-loop.ts';

export class ProcessJob extends PollingJob {
  readonly #database: Database;
  readonly #activity: ProcessActivity;
  protected readonly polling = {
    everyMs: reportEveryMs,
    restsFirst: true,
    failureMessage: 'this process could not be reported to the others',
  };

  constructor(options: {
    readonly database: Database;
    readonly activity: ProcessActivity;
    readonly log: Log;
  }) {
    super(options.log);
    this.#database = options.database;
    this.#activity = options.activity;
  }

  async runOnce(): Promise<void> {
    await reportProcess(this.#database, await this.#activity.report());
  }
}
