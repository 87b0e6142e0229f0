// Stores the database's time once a minute, and reports when clock-driven work is held (docs/decisions/clocks.md).

import type { ClockHold } from '../domain/clocks/clock-hold.ts';
import type { Environment } from '../domain/identifiers.ts';
import type { ClockGuard, ClockReading } from '../operations/clocks/clock-guard.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import type { Log } from '../runtime/log.ts';
import { advanceClockMark } from '../store/clocks/clock-mark.ts';
import type { Database } from '../store/connection/database.ts';
import { PollingJob } from './job-loop.ts';

/** How often the job compares the clocks, in ms. */
const compareEveryMs = 5_000;

/** How often the database's time is stored, in ms. */
const markEveryMs = 60_000;

/** A sandbox is confirmed by a clock that has gone on for this long, in ms: a laptop that slept needs no operator. */
const sandboxConfirmsAfterMs = 60 * 60 * 1000;

interface ClockJobOptions {
  readonly database: Database;
  readonly environment: Environment;
  readonly clocks: ClockGuard;
  readonly log: Log;
  readonly onHold: (hold: ClockHold | undefined) => void;
}

export class ClockJob extends PollingJob {
  readonly #options: ClockJobOptions;
  protected readonly polling = {
    everyMs: compareEveryMs,
    failureMessage: 'the clocks could not be compared',
  };
  #hold: ClockHold | undefined;
  /** The database's time when the hold began. */
  #heldSince = 0;

  constructor(options: ClockJobOptions) {
    super(options.log);
    this.#options = options;
  }

  /** Compares the clocks once, and stores the database's time if it is due and nothing is held. */
  async runOnce(): Promise<void> {
    const { database, clocks } = this.#options;
    const reading = await clocks.read();
    this.#report(reading);
    const { databaseNow, mark, hold } = reading;
    if (hold === undefined) {
      if (mark === undefined || databaseNow - mark >= markEveryMs)
        await advanceClockMark(database, databaseNow);
    } else if (this.#isConfirmed(reading)) {
      await clocks.confirm();
    }
  }

  #report({ hold, databaseNow }: ClockReading): void {
    const { log, onHold } = this.#options;
    onHold(hold);
    if (hold?.reason !== this.#hold?.reason) {
      this.#heldSince = databaseNow;
      if (hold === undefined) log.info('clock-driven work continues');
      else logAlert(log, 'clockHeld', { reason: hold.reason }, hold.message);
    }
    this.#hold = hold;
  }

  #isConfirmed({ hold, databaseNow }: ClockReading): boolean {
    const isOfMark = hold !== undefined && hold.reason !== 'skew';
    return (
      this.#options.environment === 'sandbox' &&
      isOfMark &&
      databaseNow - this.#heldSince >= sandboxConfirmsAfterMs
    );
  }
}
