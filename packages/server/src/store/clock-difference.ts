// How far the clock of a server is from that of its database's machine. What falls due is paid, and tokens and leases
// end, by the server's own.

import Type from 'typebox';
import { clockDifferenceSecondsMax } from '../domain/access-token.ts';
import type { Clock } from '../runtime/clock.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** SQL for the database's time in ms. */
export const databaseTime = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

const selectTime = statement({
  name: 'select_database_time',
  text: `select ${databaseTime} as now`,
  row: Type.Object({ now: Type.Integer() }),
});

/** In ms, at least: the database tells its time somewhere between the question and the answer. */
export async function measureClockDifference(queryable: Queryable, clock: Clock): Promise<number> {
  const asked = clock.now();
  const [told] = await queryable.rows(selectTime, []);
  if (told === undefined) throw new Error('A database did not tell its time.');
  return Math.max(asked - told.now, told.now - clock.now(), 0);
}

/** Whether servers on one database may be so far apart, in ms. */
export function isClockRight(differenceMs: number): boolean {
  return differenceMs <= clockDifferenceSecondsMax * 1000;
}

/**
 * A server whose clock is far ahead would charge for months that nobody owes yet.
 * @throws StartProblem
 */
export async function requireRightClock(queryable: Queryable, clock: Clock): Promise<void> {
  const differenceMs = await measureClockDifference(queryable, clock);
  if (isClockRight(differenceMs)) return;
  throw new StartProblem(
    `The clock of this machine is ${Math.ceil(differenceMs / 1000)} seconds away from that of the database's machine, ` +
      `and ${clockDifferenceSecondsMax} are allowed: set them right.`,
  );
}
