// Lists the changes of an app's settings, secrets, tokens and products with their authors, in order.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import type { Author } from '../events/events.ts';
import { appChange } from '../tables/ledger.ts';
import { insertText, insertValues, type RowOf, rowShape, selectList } from '../tables/table.ts';

const AppChangeRow = rowShape(appChange);

interface NewAppChange {
  readonly operationId: string;
  /** Human-readable, without secrets. */
  readonly detail: string;
  readonly madeAt: number;
}

// Served by the primary key.
const advanceChangeOrder = statement({
  name: 'advance_change_order',
  text: `update app_counter set change_order = change_order + 1 where package_name = $1
    returning change_order as "changeOrder"`,
  row: Type.Object({ changeOrder: Type.Integer() }),
});

const insertAppChange = statement({ name: 'insert_app_change', text: insertText(appChange), row: NoRow });

// Served by the primary key, backwards.
const selectAppChanges = statement({
  name: 'select_app_changes',
  text: `select ${selectList(appChange, 'app_change')} from app_change
    where package_name = $1 and change_order < $2 order by change_order desc limit $3`,
  row: AppChangeRow,
});

/** Locks the counter row: call it last in a transaction. */
export async function appendAppChange(
  transaction: Queryable,
  packageName: string,
  change: NewAppChange,
  author: Author,
): Promise<void> {
  const [counter] = await transaction.rows(advanceChangeOrder, [packageName]);
  if (counter === undefined) throw new Error(`The app ${packageName} has no counter row.`);
  const row = { packageName, ...counter, ...change, ...author };
  await transaction.rows(insertAppChange, insertValues(appChange, row));
}

/** Lists at most `limit` changes of an app before an order (exclusive), newest first. */
export function listAppChanges(
  queryable: Queryable,
  page: { packageName: string; before: number; limit: number },
): Promise<RowOf<typeof appChange>[]> {
  return queryable.rows(selectAppChanges, [page.packageName, page.before, page.limit]);
}
