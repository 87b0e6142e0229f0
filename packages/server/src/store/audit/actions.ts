// The audit trail: appends the actions of each app and lists them (docs/decisions/audit.md).

import { PackageName, Timestamp } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import { logAlert } from '../../runtime/alert-lines.ts';
import type { Log } from '../../runtime/log.ts';
import type { Queryable } from '../connection/database.ts';
import { pagedList } from '../statements/paged-list.ts';
import { NoRow, statement } from '../statements/statement.ts';
import { insertText, insertValues, type RowOf, rowShape, selectList } from '../statements/table.ts';
import { operatorAction } from '../tables/ledger.ts';

const ActionRow = Type.Object({ ...rowShape(operatorAction).properties, isImported: Type.Boolean() });
export type ActionRow = Static<typeof ActionRow>;

/** An action without its place among those of the app. */
export type NewAction = Omit<RowOf<typeof operatorAction>, 'packageName' | 'order'>;

export interface RecordedAction extends NewAction {
  readonly packageName: string;
}

// Served by the primary key.
const countAction = statement({
  name: 'count_action',
  text: `update app_counter set action_order = action_order + 1 where package_name = $1
    returning action_order as "order"`,
  row: Type.Object({ order: Type.Integer() }),
});

const insertAction = statement({ name: 'insert_action', text: insertText(operatorAction), row: NoRow });

/**
 * Appends an action to those of an app, or to those without an app, in the transaction of the change. Returns false for
 * an unknown app. Locks the counter row: call it last in a transaction.
 */
export async function appendAction(
  transaction: Queryable,
  packageName: string,
  action: NewAction,
): Promise<boolean> {
  const [counted] = await transaction.rows(countAction, [packageName]);
  if (counted === undefined) return false;
  const row = { packageName, order: counted.order, ...action };
  await transaction.rows(insertAction, insertValues(operatorAction, row));
  return true;
}

// Reads no table.
const selectMayRecord = statement({
  name: 'select_may_record_actions',
  text: `select current_setting('transaction_read_only') = 'off' and has_table_privilege('operator_action', 'insert')
    and has_table_privilege('app_counter', 'update') as "mayRecord"`,
  row: Type.Object({ mayRecord: Type.Boolean() }),
});

/** False on a replica, and for an account that may only read. */
export async function mayRecordActions(queryable: Queryable): Promise<boolean> {
  return (await queryable.rows(selectMayRecord, []))[0]?.mayRecord === true;
}

/** Logs an action, so that a copy of the audit trail lies outside the database. */
export function logAction(
  log: Log,
  { packageName, madeBy, clientAddress, time: _, ...rest }: RecordedAction,
): void {
  const fields = { app: packageName, by: madeBy, address: clientAddress, ...rest };
  const filled = Object.entries(fields).filter(([, value]) => value !== null && value !== '');
  logAlert(log, 'action', Object.fromEntries(filled));
}

// Served by operator_action_of_subject.
const countOfSubject = statement({
  name: 'count_actions_of_subject',
  text: `select count(*)::integer as count from operator_action where package_name = '${wholeStore}' and subject = $1`,
  row: Type.Object({ count: Type.Integer() }),
});

/** The number of actions without an app that have this subject. */
export async function countActionsOf(queryable: Queryable, subject: string): Promise<number> {
  const [counted] = await queryable.rows(countOfSubject, [subject]);
  return counted?.count ?? 0;
}

export const ActionPosition = Type.Object({
  time: Timestamp,
  packageName: Type.Union([PackageName, Type.Literal(wholeStore)]),
  order: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/**
 * Actions of all apps or of one, newest first, `from` a time and before another, in ms. Served by operator_action_by_time,
 * operator_action_of_app or operator_action_of_subject, backwards.
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
  },
  scan: { table: 'operator_action a', filters: ['operationId', 'by'] },
  text: ({ where, page }) => `
    select ${selectList(operatorAction, 'a')}, a.is_imported as "isImported" from operator_action a
    where ${where} ${page}`,
});
