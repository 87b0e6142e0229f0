// Scans all apps, in the order of their names, for those whose oldest row in a table is older than a limit.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';

interface AgedRows {
  /** The name of the prepared statement. */
  readonly name: string;
  readonly table: string;
  /** The column after package_name in the primary key of the table. */
  readonly order: string;
  /** The column with the real instant at which a row was written. */
  readonly age: string;
}

/**
 * Declares a read-only scan for apps whose oldest row was written before an instant. A page starts after the last name
 * of the previous one, or after ''.
 */
export function agedAppsScan({ name, table, order, age }: AgedRows) {
  // Served by the primary key of app_counter in its order, and by that of the table once for each app.
  const selectAgedApps = statement({
    name,
    text: `select c.package_name as "packageName" from app_counter c
      cross join lateral (
        select r.${age} as age from ${table} r where r.package_name = c.package_name
        order by r.${order} limit 1) as oldest
      where c.package_name > $1 and oldest.age < $2 order by c.package_name limit $3`,
    row: Type.Object({ packageName: Type.String() }),
  });
  return async (
    queryable: Queryable,
    before: number,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> => {
    const rows = await queryable.rows(selectAgedApps, [after, before, limit]);
    return rows.map(({ packageName }) => packageName);
  };
}
