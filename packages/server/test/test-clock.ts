// A clock that only the test moves.

import type { Environment } from '../src/domain/identifiers.ts';
import { ClockGuard } from '../src/operations/clocks/clock-guard.ts';
import type { Clock } from '../src/runtime/clock.ts';
import type { DatabaseClock } from '../src/store/connection/clock-difference.ts';
import type { Queryable } from '../src/store/connection/database.ts';

export class TestClock implements Clock {
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    this.#now = now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** A database whose clock is that of a test. */
export function databaseClockOf(clock: Clock): DatabaseClock {
  return { now: async () => clock.now() };
}

/** The guard of a server whose clock agrees with that of its database, unless the test says otherwise. */
export function openClockGuard({
  database,
  environment,
  clock,
  databaseClock = clock,
  monotonicClock = databaseClock,
}: {
  readonly database: Queryable;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly databaseClock?: Clock | undefined;
  /** By default that of the database, which then never jumps. */
  readonly monotonicClock?: Clock;
}): ClockGuard {
  const clocks = { clock, databaseClock: databaseClockOf(databaseClock), monotonicClock };
  return new ClockGuard({ database, environment, ...clocks });
}
