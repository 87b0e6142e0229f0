// Deletes the purchases, subscriptions, events, months, clock, faults and log of a sandbox app; its credentials and products stay.

import Type from 'typebox';
import { lockApp } from '../apps/apps.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';
import { removeFaults } from './faults.ts';

/**
 * In the common lock order: subscriptions and their attempts, purchases, and the counter row last. Deliveries are deleted
 * before their events.
 */
const largeTables = ['subscription', 'renewal_attempt', 'purchase', 'webhook_delivery', 'event'] as const;
const smallTables = ['request_log', 'app_clock', 'closed_month'] as const;

/** Rows that one transaction deletes, well within the timeout of a statement even on a busy machine. */
const removedTogetherMax = 20_000;

// Each is served by the primary key.
const deletions = [...largeTables, ...smallTables].map((table) =>
  statement({ name: `reset_${table}`, text: `delete from ${table} where package_name = $1`, row: NoRow }),
);

// Served by the primary key. Rows that are changed concurrently are deleted by `emptyApp`.
const partialDeletions = largeTables.map((table) =>
  statement({
    name: `delete_part_of_${table}`,
    text: `with gone as (
        delete from ${table} where package_name = $1 and ctid in (
          select ctid from ${table} where package_name = $1 offset $2 limit $2)
        returning package_name
      )
      select count(*) as "removed" from gone`,
    row: Type.Object({ removed: Type.Integer() }),
  }),
);

// Rows that were committed since `deletions` ran, unless they are locked. Served by the primary keys.
const deletionsOfNewRows = largeTables.map((table) =>
  statement({
    name: `reset_new_${table}`,
    text: `delete from ${table} where package_name = $1 and ctid in (
      select ctid from ${table} where package_name = $1 for update skip locked)`,
    row: NoRow,
  }),
);

// Served by the primary keys.
const isAnythingLeft = statement({
  name: 'is_anything_left_of_app',
  text: `select ${largeTables.map((table) => `exists (select from ${table} where package_name = $1)`).join(' or ')}
    or exists (select from webhook w join app_counter c using (package_name) where package_name = $1
      and (w.cursor_order < c.event_order or w.lease_holder is not null)) as "isLeft"`,
  row: Type.Object({ isLeft: Type.Boolean() }),
});

const resetWebhookText = `update webhook w set cursor_order = c.event_order, lease_holder = null, lease_until = null
    from app_counter c where w.package_name = $1 and c.package_name = $1`;

// The server that delivers loses its lease and writes no more records of deleted events. Served by the primary keys.
const resetWebhook = statement({ name: 'reset_webhook', text: resetWebhookText, row: NoRow });

// A webhook that was stored since `resetWebhook` ran, unless it is locked: its transaction may wait for the counter row.
// Served by the primary keys.
const resetNewWebhook = statement({
  name: 'reset_new_webhook',
  text: `${resetWebhookText} and w.ctid in (
      select ctid from webhook where package_name = $1 for update skip locked)`,
  row: NoRow,
});

// Orders are not reused. The time of the last void is reset, because the app's clock may have been years ahead. A server that
// counts the app finds it advanced and writes no days. Served by the primary key.
const resetCounter = statement({
  name: 'reset_app_counter',
  text: `update app_counter set last_voided_time = 0, counted_order = event_order, reset_order = event_order,
      recount_from = null
    where package_name = $1`,
  row: NoRow,
});

// Served by the primary key.
const deleteDays = statement({
  name: 'reset_statistic_day',
  text: 'delete from statistic_day where package_name = $1',
  row: NoRow,
});

/** Deletes one batch of rows, so that few remain for `emptyApp`; false if there was nothing to delete. */
export async function deletePartOfApp(transaction: Queryable, packageName: string): Promise<boolean> {
  await lockApp(transaction, packageName);
  for (const deletion of partialDeletions) {
    const [row] = await transaction.rows(deletion, [packageName, removedTogetherMax]);
    if (row !== undefined && row.removed > 0) return true;
  }
  return false;
}

/**
 * Empties an app whose clock the transaction has locked. Returns false if another transaction has locked a new row; the
 * transaction is then incomplete and must not be committed.
 */
export async function emptyApp(transaction: Queryable, packageName: string): Promise<boolean> {
  await lockApp(transaction, packageName);
  await transaction.rows(resetWebhook, [packageName]);
  for (const deletion of deletions) await transaction.rows(deletion, [packageName]);
  await removeFaults(transaction, packageName);
  await transaction.rows(resetCounter, [packageName]);
  // From here on no other transaction commits a change of the app, because each needs the counter row.
  await transaction.rows(deleteDays, [packageName]);
  if (!(await hasRows(transaction, packageName))) return true;
  for (const deletion of deletionsOfNewRows) await transaction.rows(deletion, [packageName]);
  await transaction.rows(resetNewWebhook, [packageName]);
  return !(await hasRows(transaction, packageName));
}

async function hasRows(transaction: Queryable, packageName: string): Promise<boolean> {
  const [row] = await transaction.rows(isAnythingLeft, [packageName]);
  return row?.isLeft === true;
}
