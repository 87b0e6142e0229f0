// The database's clock, which is the reference for the clocks of all servers.

import Type from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** SQL for the database's time in ms. */
export const databaseTime = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

// Reads no table.
const selectTime = statement({
  name: 'select_database_time',
  text: `select ${databaseTime} as now`,
  row: Type.Object({ now: Type.Integer() }),
});

/** Returns the database's time in ms; tests set their own. */
export interface DatabaseClock {
  now(queryable: Queryable): Promise<number>;
}

export const databaseClock: DatabaseClock = {
  async now(queryable) {
    const [database] = await queryable.rows(selectTime, []);
    if (database === undefined) throw new Error('The database returned no time.');
    return database.now;
  },
};

export interface ClockDifference {
  readonly databaseNow: number;
  /** The least possible skew in ms: the database reads its clock at some time between query and result. */
  readonly skewMs: number;
}

export async function measureClockDifference(
  queryable: Queryable,
  clock: Clock,
  reference = databaseClock,
): Promise<ClockDifference> {
  const startedAt = clock.now();
  const databaseNow = await reference.now(queryable);
  return { databaseNow, skewMs: Math.max(startedAt - databaseNow, databaseNow - clock.now(), 0) };
}
