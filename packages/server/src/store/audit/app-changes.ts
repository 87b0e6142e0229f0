// Who did what to an app itself: its settings, secrets, tokens and products, in the app's own order.

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import type { Author } from '../events/events.ts';

const AppChangeRow = Type.Object({
  changeOrder: Type.Integer(),
  operationId: Type.String(),
  detail: Type.String(),
  madeBy: Type.String(),
  madeAt: Type.Integer(),
  requestId: Type.String(),
});
type AppChangeRow = Static<typeof AppChangeRow>;

interface NewAppChange {
  readonly operationId: string;
  /** For people. Never a secret. */
  readonly detail: string;
  readonly madeAt: number;
}

const advanceChangeOrder = statement({
  name: 'advance_change_order',
  text: `update app_counter set change_order = change_order + 1 where package_name = $1
    returning change_order as "changeOrder"`,
  row: Type.Object({ changeOrder: Type.Integer() }),
});

const insertAppChange = statement({
  name: 'insert_app_change',
  text: `insert into app_change (package_name, change_order, operation_id, detail, made_by, made_at, request_id)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  row: NoRow,
});

// Served by the primary key, backwards.
const selectAppChanges = statement({
  name: 'select_app_changes',
  text: `select change_order as "changeOrder", operation_id as "operationId", detail, made_by as "madeBy",
      made_at as "madeAt", request_id as "requestId"
    from app_change where package_name = $1 and change_order < $2 order by change_order desc limit $3`,
  row: AppChangeRow,
});

/** It takes the lock of the counter row: call it last in a transaction. */
export async function appendAppChange(
  transaction: Queryable,
  packageName: string,
  change: NewAppChange,
  author: Author,
): Promise<void> {
  const [counter] = await transaction.rows(advanceChangeOrder, [packageName]);
  if (counter === undefined) throw new Error(`The app ${packageName} has no counter row.`);
  await transaction.rows(insertAppChange, [
    packageName,
    counter.changeOrder,
    change.operationId,
    change.detail,
    author.madeBy,
    change.madeAt,
    author.requestId,
  ]);
}

/** Changes of an app, newest first, at most `limit`, those before the given place in its order only. */
export function listAppChanges(
  queryable: Queryable,
  page: { packageName: string; before: number; limit: number },
): Promise<AppChangeRow[]> {
  return queryable.rows(selectAppChanges, [page.packageName, page.before, page.limit]);
}
