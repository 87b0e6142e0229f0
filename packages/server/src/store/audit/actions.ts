// The audit trail: appends actions to the chain of their app and lists them (docs/decisions/audit.md).

import { PackageName, Timestamp } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import { actionHash } from '../../domain/audit/action-hash.ts';
import type { Queryable } from '../connection/database.ts';
import { pagedList } from '../connection/paged-list.ts';
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

export const ActionPosition = Type.Object({
  time: Timestamp,
  packageName: Type.Union([PackageName, Type.Literal(noApp)]),
  order: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/**
 * Actions of all apps or of one, newest first, `from` a time and before another, in ms. Served by operator_action_by_time,
 * _of_app or _of_subject, backwards.
 */
export const listActions = pagedList({
  name: 'actions',
  row: ActionRow,
  position: ActionPosition,
  order: { time: 'a.made_at', packageName: 'a.package_name', order: 'a.action_order' },
  direction: 'desc',
  filters: {
    packageName: 'a.package_name = $packageName',
    subject: 'a.subject = $subject',
    from: 'a.made_at >= $from',
    to: 'a.made_at < $to',
    operationId: 'a.operation_id = $operationId',
    by: 'a.made_by = $by',
    outcome: 'a.outcome = $outcome',
  },
  scan: { table: 'operator_action a', filters: ['operationId', 'by', 'outcome'] },
  text: ({ where, page }) => `
    select ${selectList(operatorAction, 'a')}, a.is_imported as "isImported" from operator_action a
    where ${where} ${page}`,
});
