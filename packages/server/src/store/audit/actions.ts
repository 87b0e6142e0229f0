// The audit trail: appends actions to the chain of their app and lists them (docs/decisions/audit.md).

import { timestampMax, timestampMin } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import { actionHash } from '../../domain/audit/action-hash.ts';
import type { Queryable } from '../connection/database.ts';
import { Bytes, NoRow, nullable, statement } from '../connection/statement.ts';
import { operatorAction } from '../tables/audit.ts';
import { insertText, insertValues, type RowOf, rowShape, selectList } from '../tables/table.ts';

/** The package name of actions without an app. */
export const noApp = '';

const ActionRow = Type.Object({ ...rowShape(operatorAction).properties, isImported: Type.Boolean() });
export type ActionRow = Static<typeof ActionRow>;

/** An action whose position in its chain is still open. */
export type NewAction = Omit<RowOf<typeof operatorAction>, 'packageName' | 'order' | 'hash'>;

// Served by the primary key.
const lockChain = statement({
  name: 'lock_action_chain',
  text: `select action_order as "order", action_head as head from app_counter
    where package_name = $1 for no key update`,
  row: Type.Object({ order: Type.Integer(), head: nullable(Bytes) }),
});

const orderParameter = 2;
const hashParameter = orderParameter + Object.keys(operatorAction.columns).length - 1;

// Served by the primary key of app_counter.
const insertAction = statement({
  name: 'insert_action',
  text: `with counted as (
      update app_counter set action_order = $${orderParameter}, action_head = $${hashParameter} where package_name = $1
    ) ${insertText(operatorAction)}`,
  row: NoRow,
});

/** The head of a chain after an action was appended. */
export interface ChainHead {
  readonly packageName: string;
  readonly order: number;
  readonly hash: Buffer;
}

/**
 * Appends an action to the chain of an app, or of the actions without an app, in the transaction of the change. Returns
 * undefined for an unknown app. Locks the counter row: call it last in a transaction.
 */
export async function appendAction(
  transaction: Queryable,
  packageName: string,
  action: NewAction,
): Promise<ChainHead | undefined> {
  const [chain] = await transaction.rows(lockChain, [packageName]);
  if (chain === undefined) return undefined;
  const fields = { packageName, order: chain.order + 1, ...action };
  const row = { ...fields, hash: actionHash(fields, chain.head) };
  await transaction.rows(insertAction, insertValues(operatorAction, row));
  return row;
}

interface ActionFilter {
  readonly packageName?: string;
  readonly subject?: string;
  readonly operationId?: string;
  readonly by?: string;
  readonly outcome?: string;
  /** Bounds of the time, ms: from this instant, before that one. */
  readonly from?: number;
  readonly to?: number;
}

interface ActionPosition {
  readonly time: number;
  readonly packageName: string;
  readonly order: number;
}

const newestPossible: ActionPosition = { time: timestampMax + 1, packageName: '', order: 0 };

const listText = (scope: string) => `
  select ${selectList(operatorAction, 'a')}, a.is_imported as "isImported" from operator_action a
  where ${scope} and a.made_at >= $1 and a.made_at < $2
    and (a.made_at, a.package_name, a.action_order) < ($3::bigint, $4::text, $5::bigint)
    and ($6::text is null or a.operation_id = $6) and ($7::text is null or a.made_by = $7)
    and ($8::text is null or a.outcome = $8)
    and ($9::text is null or a.package_name = $9) and ($10::text is null or a.subject = $10)
  order by a.made_at desc, a.package_name desc, a.action_order desc limit $11`;

// Served by operator_action_by_time, backwards.
const selectActions = statement({ name: 'select_actions', text: listText('true'), row: ActionRow });

// Served by operator_action_of_app, backwards.
const selectActionsOfApp = statement({
  name: 'select_actions_of_app',
  text: listText('a.package_name = $9'),
  row: ActionRow,
});

// Served by operator_action_of_subject, backwards.
const selectActionsOfSubject = statement({
  name: 'select_actions_of_subject',
  text: listText('a.subject = $10'),
  row: ActionRow,
});

/** Actions of all apps or of one, newest first, at most `limit`, after the last position of the previous page. */
export function listActions(
  queryable: Queryable,
  filter: ActionFilter,
  { after = newestPossible, limit }: { after: ActionPosition | undefined; limit: number },
): Promise<ActionRow[]> {
  const { packageName, subject, operationId, by, outcome } = filter;
  const ofAppOrStore = packageName === undefined ? selectActions : selectActionsOfApp;
  return queryable.rows(subject === undefined ? ofAppOrStore : selectActionsOfSubject, [
    filter.from ?? timestampMin,
    filter.to ?? newestPossible.time,
    after.time,
    after.packageName,
    after.order,
    operationId ?? null,
    by ?? null,
    outcome ?? null,
    packageName ?? null,
    subject ?? null,
    limit,
  ]);
}
