// The counts and sums of each day (docs/decisions/statistics.md).

import { NoRow, type Queryable, statement } from '../connection/statement.ts';
import { statisticDay } from '../tables/statistics.ts';
import { arrayParameters, columnArrays, columnNames, withoutColumns } from '../tables/table.ts';
import type { DayChanges } from './counted-changes.ts';

const names = columnNames(statisticDay);
const added = columnNames(withoutColumns(statisticDay, ...statisticDay.key))
  .split(', ')
  .map((column) => `${column} = d.${column} + excluded.${column}`);

// Served by the primary key.
const addToDays = statement({
  name: 'add_to_statistic_days',
  text: `insert into statistic_day as d (package_name, ${names})
    select $1, ${names} from unnest(${arrayParameters(statisticDay, 2)}) as c (${names})
    on conflict (package_name, day, product_id, currency) do update set ${added.join(', ')}`,
  row: NoRow,
});

/** Adds changes of an app whose cursor the transaction has locked. */
export async function addChanges(
  transaction: Queryable,
  packageName: string,
  changes: readonly DayChanges[],
): Promise<void> {
  if (changes.length === 0) return;
  await transaction.rows(addToDays, [packageName, ...columnArrays(statisticDay, changes)]);
}
