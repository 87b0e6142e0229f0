// Compares this server's clock with the database's, and stores the database's time once a minute
// (docs/decisions/clocks.md).

import { type ClockHold, clockDifferenceSecondsMax } from '../domain/clocks/clock-hold.ts';
import { wholeStore } from '../domain/identifiers.ts';
import { minuteMs } from '../domain/time.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import type { Log } from '../runtime/log.ts';
import { advanceClockMark, markLagMs } from '../store/clocks/clock-mark.ts';
import type { DatedStore } from '../store/clocks/store-clock.ts';
import { PollingJob } from './job-loop.ts';

/** How often the job compares the clocks, in ms. */
const compareEveryMs = 5_000;

/** How often the database's time is stored, in ms. */
const markEveryMs = minuteMs;

interface ClockJobOptions extends DatedStore {
  readonly log: Log;
  /** Receives after each comparison what is wrong with the clocks. */
  readonly onCompared: (found: { readonly hold: ClockHold | undefined; readonly isOff: boolean }) => void;
}

export class ClockJob extends PollingJob {
  readonly #options: ClockJobOptions;
  protected readonly polling = {
    everyMs: compareEveryMs,
    restsFirst: true,
    failureMessage: 'the clocks could not be compared',
  };
  #holdReason: ClockHold['reason'] | undefined;
  #wasOff = false;

  constructor(options: ClockJobOptions) {
    super(options.log);
    this.#options = options;
  }

  /** Compares the clocks once, and stores the database's time if it is due and nothing is held. */
  async runOnce(): Promise<void> {
    const { database, clock, onCompared } = this.#options;
    const differenceMs = await clock.measure(database);
    const mark = await clock.readMark(database);
    const { databaseNow, hold } = await clock.read(database, wholeStore);
    const isOff = Math.abs(differenceMs) > clockDifferenceSecondsMax * 1000;
    this.#log(hold, { isOff, differenceMs });
    onCompared({ hold, isOff });
    if (!clock.hasMark || hold !== undefined) return;
    if (mark !== undefined && databaseNow - mark < markEveryMs + markLagMs) return;
    await advanceClockMark(database, databaseNow);
    await clock.readMark(database);
  }

  /** Each change is one line. */
  #log(hold: ClockHold | undefined, { isOff, differenceMs }: { isOff: boolean; differenceMs: number }): void {
    const { log } = this.#options;
    if (hold?.reason !== this.#holdReason) {
      if (hold === undefined) log.info('time-driven work continues');
      else logAlert(log, 'clockHeld', { reason: hold.reason }, hold.message);
    }
    if (isOff && !this.#wasOff) logAlert(log, 'clockOff', { differenceMs });
    this.#holdReason = hold?.reason;
    this.#wasOff = isOff;
  }
}
