// The clock skew between a server and its database's machine. Renewals, tokens and leases follow the server's clock.

import Type from 'typebox';
import { clockDifferenceSecondsMax } from '../../domain/tokens/access-token.ts';
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

/** The least possible skew in ms: the database reads its clock at some time between query and result. */
export async function measureClockDifference(queryable: Queryable, clock: Clock): Promise<number> {
  const startedAt = clock.now();
  const [database] = await queryable.rows(selectTime, []);
  if (database === undefined) throw new Error('The database returned no time.');
  return Math.max(startedAt - database.now, database.now - clock.now(), 0);
}

/**
 * Explains why a server with this clock skew must not start; undefined if it may. A clock that is far ahead would
 * charge for months that are not due yet.
 */
export function clockProblem(skewMs: number): string | undefined {
  if (skewMs <= clockDifferenceSecondsMax * 1000) return undefined;
  return (
    `The clock of this machine is ${Math.ceil(skewMs / 1000)} seconds away from that of the database's machine, ` +
    `and ${clockDifferenceSecondsMax} are allowed: synchronize the clocks (NTP).`
  );
}
