// Logs the heads of the chains of actions that have grown, each once a day, so that a copy exists where nobody who can
// write to the database can change it (docs/decisions/audit.md).

import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { listGrownChains, markChainLogged } from '../../store/audit/action-chains.ts';
import type { Database } from '../../store/connection/database.ts';
import { logJobFailure, pollUntil } from '../job-loop.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How often the job runs, in ms. */
const runEveryMs = 600_000;

/** Chains that one statement returns. */
const chainsMax = 1_000;

interface ChainLogJobParts {
  readonly database: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

export class ChainLogJob implements AsyncDisposable {
  readonly #parts: ChainLogJobParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: ChainLogJobParts) {
    this.#parts = parts;
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running ??= pollUntil(signal, {
      everyMs: runEveryMs,
      // The first lines of a start are for whoever started it.
      restsFirst: true,
      poll: () => this.runOnce(),
      onFailure: (error) => {
        if (!signal.aborted)
          logJobFailure(this.#parts.log, { error }, 'heads of the audit trail could not be logged');
      },
    });
  }

  /** Begins nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** A server that dies between the log line and the mark logs the head again. */
  async runOnce(): Promise<void> {
    const { database, clock, log } = this.#parts;
    const now = clock.now();
    const since = now - dayMs + 1;
    for (;;) {
      const grown = await listGrownChains(database, { since, now, limit: chainsMax });
      for (const { packageName, order, head } of grown) {
        if (this.#stopping.signal.aborted) return;
        log.info({ app: packageName, order, head: head.toString('hex') }, 'head of the audit trail');
        await markChainLogged(database, { packageName, order, now });
      }
      if (grown.length < chainsMax) return;
    }
  }
}
