// Logs the heads of the chains of actions that have grown, each once a day, so that a copy exists where nobody who can
// write to the database can change it (docs/decisions/audit.md).

import { dayMs } from '../../domain/time.ts';
import { logHead } from '../../operations/audit/log-head.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { listGrownChains, markChainLogged } from '../../store/audit/action-chains.ts';
import type { Database } from '../../store/connection/database.ts';
import { PollingJob } from '../job-loop.ts';

/** How often the job runs, in ms. */
const runEveryMs = 600_000;

/** Chains that one statement returns. */
const chainsMax = 1_000;

export class ChainLogJob extends PollingJob {
  readonly #database: Database;
  readonly #clock: Clock;
  protected readonly polling = {
    everyMs: runEveryMs,
    // A start prints its own lines first.
    restsFirst: true,
    failureMessage: 'heads of the audit trail could not be logged',
  };

  /** `clock` has real time. */
  constructor(database: Database, clock: Clock, log: Log) {
    super(log);
    this.#database = database;
    this.#clock = clock;
  }

  /** A server that dies between the log line and the mark logs the head again. */
  async runOnce(): Promise<void> {
    const database = this.#database;
    const now = this.#clock.now();
    const since = now - dayMs + 1;
    for (;;) {
      const grown = await listGrownChains(database.storeWide, { since, now, limit: chainsMax });
      for (const { packageName, order, head } of grown) {
        if (this.stopping.aborted) return;
        logHead(this.log, { packageName, order, hash: head });
        await markChainLogged(database, { packageName, order, now });
      }
      if (grown.length < chainsMax) return;
    }
  }
}
