// Scans over all apps, in the order of their names, for those that have rows which are too old.

import Type from 'typebox';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** Part of a scan. */
export interface AppScan {
  /** The last name of the part before, '' for the first. */
  readonly after: string;
  readonly limit: number;
}

interface AgedRows {
  /** That of the prepared statement. */
  readonly name: string;
  readonly table: string;
  /** What the rows of an app stand in the order of, in the primary key of the table. */
  readonly age: string;
  /** How the age of a row that is too old compares with the bound. */
  readonly comparison: '<' | '<=';
}

/** Declares a scan for apps that have such rows. It only reads. */
export function agedAppsScan({ name, table, age, comparison }: AgedRows) {
  // Served by the primary keys: that of app_counter in its order, that of the table once for each app.
  const selectAgedApps = statement({
    name,
    text: `select c.package_name as "packageName" from app_counter c
      cross join lateral (
        select r.${age} from ${table} r where r.package_name = c.package_name and r.${age} ${comparison} $2
        order by r.${age} limit 1) as r
      where c.package_name > $1 order by c.package_name limit $3`,
    row: Type.Object({ packageName: Type.String() }),
  });
  return async (queryable: Queryable, bound: number, { after, limit }: AppScan): Promise<string[]> => {
    const rows = await queryable.rows(selectAgedApps, [after, bound, limit]);
    return rows.map(({ packageName }) => packageName);
  };
}
