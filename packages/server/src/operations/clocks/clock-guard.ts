// Whether this server may do clock-driven work: renewals, expiry events, retention, giving up deliveries
// (docs/decisions/clocks.md).

import {
  type ClockHold,
  clockDifferenceSecondsMax,
  clockProblem,
  decideClockHold,
  isJump,
  type TimedReading,
} from '../../domain/clocks/clock-hold.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { type Clock, monotonicClock } from '../../runtime/clock.ts';
import {
  type ClockMark,
  findClockMark,
  replaceClockMark,
  storeClockJump,
} from '../../store/clocks/clock-mark.ts';
import {
  type ClockDifference,
  type DatabaseClock,
  databaseClock,
  measureClockDifference,
} from '../../store/connection/clock-difference.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';

/** A reading counts for this long, in ms, by the process's own count of time and by the clock that it is about. */
const readingMaxAgeMs = 1_000;

interface ClockGuardOptions {
  readonly database: Queryable;
  readonly environment: Environment;
  readonly clock: Clock;
  /** undefined: the database is asked for its time. */
  readonly databaseClock?: DatabaseClock | undefined;
  /** Set by tests that set the database's clock; otherwise the process's own count of time. */
  readonly monotonicClock?: Clock | undefined;
}

export interface ClockReading {
  readonly serverNow: number;
  readonly databaseNow: number;
  readonly skewMs: number;
  /** Undefined before the job has first run. */
  readonly mark: number | undefined;
  readonly hold: ClockHold | undefined;
}

export class ClockGuard {
  readonly #options: ClockGuardOptions;
  readonly #databaseClock: DatabaseClock;
  readonly #monotonicClock: Clock;
  /** The reading that the next one is compared with, and how often the time had been confirmed before it. */
  #previous: (TimedReading & Pick<ClockMark, 'confirmations'>) | undefined;
  #last: ClockReading | undefined;
  /** An instant of performance.now(). */
  #readAt = 0;
  #isSkewed = false;

  constructor(options: ClockGuardOptions) {
    this.#options = options;
    this.#databaseClock = options.databaseClock ?? databaseClock;
    this.#monotonicClock = options.monotonicClock ?? monotonicClock;
  }

  /** Whether this server's clock was wrong when it was last compared with the database's. */
  get isSkewed(): boolean {
    return this.#isSkewed;
  }

  /** Compares both clocks without the mark, and returns `isSkewed`. */
  async compare(): Promise<boolean> {
    await this.#measure(this.#options.database);
    return this.#isSkewed;
  }

  /** Reads both clocks and the mark. */
  async read(queryable: Queryable = this.#options.database): Promise<ClockReading> {
    const { clock } = this.#options;
    const markBefore = await findClockMark(queryable);
    const startedAt = this.#monotonicClock.now();
    const { databaseNow, skewMs } = await this.#measure(queryable);
    const timed = { databaseNow, startedAt, endedAt: this.#monotonicClock.now() };
    const clockMark = await this.#compareWithPrevious(timed, markBefore);
    const { databaseTime: mark, hasJumped = false } = clockMark ?? {};
    const wasBehind = this.#last?.hold?.reason === 'behind';
    const hold = decideClockHold({ skewMs, databaseNow, mark, hasJumped, wasBehind });
    const reading = { serverNow: clock.now(), databaseNow, skewMs, mark, hold };
    this.#last = reading;
    this.#readAt = performance.now();
    return reading;
  }

  /**
   * Stores a jump since the previous reading, and returns the mark after that. It is not stored in the transaction of the
   * caller, which ends without a trace, and a reading whose jump could not be stored is not the previous of any other.
   */
  async #compareWithPrevious(
    timed: TimedReading,
    mark: ClockMark | undefined,
  ): Promise<ClockMark | undefined> {
    const { database, environment } = this.#options;
    if (environment !== 'production' || mark === undefined) return mark;
    const { confirmations } = mark;
    const previous = this.#previous;
    // What happened before a confirmation is confirmed.
    const isComparable = previous !== undefined && previous.confirmations === confirmations;
    const hasJumped = isComparable && isJump(previous, timed);
    if (hasJumped) await storeClockJump(database, mark);
    this.#previous = { ...timed, confirmations };
    return hasJumped ? findClockMark(database) : mark;
  }

  async #measure(queryable: Queryable): Promise<ClockDifference> {
    const difference = await measureClockDifference(queryable, this.#options.clock, this.#databaseClock);
    this.#isSkewed = clockProblem(difference.skewMs) !== undefined;
    return difference;
  }

  /** Reads them again unless that was just now: a jump of the server's clock makes the last reading old. */
  async recent(queryable?: Queryable): Promise<ClockReading> {
    const last = this.#last;
    const isRecent =
      last !== undefined &&
      performance.now() - this.#readAt < readingMaxAgeMs &&
      Math.abs(this.#options.clock.now() - last.serverNow) < readingMaxAgeMs;
    return isRecent ? last : this.read(queryable);
  }

  /** Why renewals are held at an instant of this server's clock. The sandbox charges nobody, so its mark holds none. */
  async renewalHold(realNow: number, queryable?: Queryable): Promise<ClockHold | undefined> {
    const reading = await this.recent(queryable);
    if (hasJumped(reading, realNow)) return jumped;
    const { hold } = reading;
    return hold?.reason === 'skew' || this.#options.environment === 'production' ? hold : undefined;
  }

  /** Whether a delivery that failed at an instant of this server's clock may be given up. */
  async mayGiveUp(realNow: number): Promise<boolean> {
    try {
      const reading = await this.recent();
      return reading.hold === undefined && !hasJumped(reading, realNow);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return false;
      throw error;
    }
  }

  /** An operator has confirmed the database's time: what is held because of the mark continues. */
  async confirm(queryable: Queryable = this.#options.database): Promise<void> {
    await replaceClockMark(queryable, await this.#databaseClock.now(queryable));
    this.#last = undefined;
  }
}

/** The clock has jumped between the reading and the instant. */
const jumped: ClockHold = { reason: 'skew', message: 'The clock of this machine has just jumped.' };

function hasJumped({ serverNow }: ClockReading, realNow: number): boolean {
  return Math.abs(realNow - serverNow) > clockDifferenceSecondsMax * 1000;
}
