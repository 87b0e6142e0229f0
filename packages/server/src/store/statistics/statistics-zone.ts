// The time zone of the days of statistics: that of the store when the database counted its first day, because days of two
// zones would count a sale twice (docs/decisions/statistics.md).

import Type from 'typebox';
import { nullable, type Queryable, statement } from '../statements/statement.ts';

const row = Type.Object({ timeZone: nullable(Type.String()) });

// Reads the only row.
const selectZone = statement({
  name: 'select_statistics_zone',
  text: 'select statistics_time_zone as "timeZone" from installation',
  row,
});

// Writes the only row, once.
const fixZone = statement({
  name: 'fix_statistics_zone',
  text: `update installation set statistics_time_zone = $1 where statistics_time_zone is null
    returning statistics_time_zone as "timeZone"`,
  row,
});

/** Undefined until a day is counted. */
export async function findStatisticsZone(queryable: Queryable): Promise<string | undefined> {
  return (await queryable.rows(selectZone, []))[0]?.timeZone ?? undefined;
}

/** Called with the first counted day, in its transaction. Returns false if another server has fixed the zone. */
export async function fixStatisticsZone(transaction: Queryable, timeZone: string): Promise<boolean> {
  return (await transaction.rows(fixZone, [timeZone])).length > 0;
}
