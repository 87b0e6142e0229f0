// The one clock of the store: the database's time, as everything about money is dated by it, and what a server knows of it
// between two statements (docs/decisions/clocks.md).

import Type from 'typebox';
import { type ClockHold, decideClockHold } from '../../domain/clocks/clock-hold.ts';
import type { Environment } from '../../domain/identifiers.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';
import { appTimeSql } from './app-time.ts';
import { findClockMark } from './clock-mark.ts';

// Reads no table.
const selectDatabaseTime = statement({
  name: 'select_database_time',
  text: 'select database_time() as now',
  row: Type.Object({ now: Type.Integer() }),
});

// On the node of the app, whose clock dates all that happens in the app. Served by the primary keys.
const selectAppTime = statement({
  name: 'select_app_time',
  text: `select t.now as "databaseNow", ${appTimeSql('k', 'greatest(t.now, $2::bigint)')} as now
    from (select database_time() as now from app_counter where package_name = $1) as t
    left join app_clock k on k.package_name = $1`,
  row: Type.Object({ databaseNow: Type.Integer(), now: Type.Integer() }),
});

/** A database, and the clock that dates what is written into it. */
export interface DatedStore {
  readonly database: Database;
  readonly clock: StoreClock;
}

/** Instants in ms, read together. */
export interface StoreTime {
  /** The app's time: in production, and without a clock, real time. */
  readonly now: number;
  readonly databaseNow: number;
  /** The database's time, or the mark if that is later. */
  readonly realNow: number;
  /** Why nothing that time drives may happen at this time. */
  readonly hold: ClockHold | undefined;
}

/** The database's time, in ms. */
export async function readDatabaseTime(queryable: Queryable): Promise<number> {
  const [database] = await queryable.rows(selectDatabaseTime, []);
  if (database === undefined) throw new Error('The database returned no time.');
  return database.now;
}

export class StoreClock implements Clock {
  readonly #process: Clock;
  /** Only in production: the sandbox holds nothing, and its times follow the database's clock back. */
  readonly hasMark: boolean;
  #mark: number | undefined;
  #isBehind = false;
  #differenceMs = 0;
  #measuring: Promise<number> | undefined;

  constructor(process: Clock, environment: Environment) {
    this.#process = process;
    this.hasMark = environment === 'production';
  }

  /** This server's clock, corrected by its last measured difference: for tokens, signatures and what is only shown. */
  now(): number {
    return this.#process.now() + this.#differenceMs;
  }

  /** The `realNow` that `read` is expected to return, without a query. */
  expected(): number {
    return Math.max(this.now(), this.floor);
  }

  /** No date is before this instant: the mark as it was last read. */
  get floor(): number {
    return this.#mark ?? 0;
  }

  /** How far the database's clock was ahead of this server's when it was last measured, in ms. */
  get differenceMs(): number {
    return this.#differenceMs;
  }

  /**
   * Reads the time of an app, or of the store for `wholeStore`. In a transaction that orders what it dates, it follows the lock:
   * a time that is read by the statement that locks is from before the wait.
   */
  async read(queryable: Queryable, packageName: string): Promise<StoreTime> {
    const [time] = await queryable.rows(selectAppTime, [packageName, this.floor]);
    if (time === undefined) throw new Error(`The app ${packageName} has no counter row.`);
    const { databaseNow, now } = time;
    return { now, databaseNow, realNow: Math.max(databaseNow, this.floor), hold: this.#holdAt(databaseNow) };
  }

  /** Reads the mark, by which this server dates and holds from then on. */
  async readMark(queryable: Queryable): Promise<number | undefined> {
    if (this.hasMark) this.#mark = await findClockMark(queryable);
    return this.#mark;
  }

  /**
   * Measures and remembers `differenceMs`: the smaller of two differences, since a slow statement can only add to one.
   * Concurrent calls share a measurement.
   */
  measure(queryable: Queryable): Promise<number> {
    this.#measuring ??= this.#measure(queryable).finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #measure(queryable: Queryable): Promise<number> {
    const first = await this.#difference(queryable);
    const second = await this.#difference(queryable);
    this.#differenceMs = Math.abs(second) < Math.abs(first) ? second : first;
    return this.#differenceMs;
  }

  /** The least difference that is possible: the database read its clock at some moment between query and result. */
  async #difference(queryable: Queryable): Promise<number> {
    const before = this.#process.now();
    const databaseNow = await readDatabaseTime(queryable);
    const after = this.#process.now();
    return Math.max(databaseNow - after, 0) + Math.min(databaseNow - before, 0);
  }

  #holdAt(databaseNow: number): ClockHold | undefined {
    const hold = decideClockHold({ databaseNow, mark: this.#mark, wasBehind: this.#isBehind });
    this.#isBehind = hold?.reason === 'behind';
    return hold;
  }
}
