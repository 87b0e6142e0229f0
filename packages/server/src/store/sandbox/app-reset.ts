// Removes all that happened in an app, in the sandbox only: who may call it, and what it sells, stays.

import Type from 'typebox';
import { lockApp } from '../apps/apps.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import { removeFaults } from './faults.ts';

/**
 * In the one order of locks: subscriptions, what belongs to them, purchases; the counter row comes last. Deliveries
 * go before the events that they are about.
 */
const growing = ['subscription', 'renewal_attempt', 'purchase', 'webhook_delivery', 'event'] as const;
const small = ['request_log', 'app_clock'] as const;

/** Rows of each table that one transaction removes: well within the time of a statement on a busy machine too. */
const removedTogetherMax = 20_000;

// Each is served by the primary key.
const deletions = [...growing, ...small].map((table) =>
  statement({ name: `reset_${table}`, text: `delete from ${table} where package_name = $1`, row: NoRow }),
);

// Served by the primary key. A row that is changed meanwhile stays, and goes with the rest.
const thinnings = growing.map((table) =>
  statement({
    name: `thin_out_${table}`,
    text: `with gone as (
        delete from ${table} where package_name = $1 and ctid in (
          select ctid from ${table} where package_name = $1 offset $2 limit $2)
        returning package_name
      )
      select count(*) as "removed" from gone`,
    row: Type.Object({ removed: Type.Integer() }),
  }),
);

// What was committed since those ran, unless somebody holds it. Served by the primary keys.
const deletionsOfLateRows = growing.map((table) =>
  statement({
    name: `reset_late_${table}`,
    text: `delete from ${table} where package_name = $1 and ctid in (
      select ctid from ${table} where package_name = $1 for update skip locked)`,
    row: NoRow,
  }),
);

// Served by the primary keys.
const isAnythingLeft = statement({
  name: 'is_anything_left_of_app',
  text: `select ${growing.map((table) => `exists (select from ${table} where package_name = $1)`).join(' or ')}
    or exists (select from webhook w join app_counter c using (package_name) where package_name = $1
      and (w.cursor_order < c.event_order or w.lease_holder is not null)) as "isLeft"`,
  row: Type.Object({ isLeft: Type.Boolean() }),
});

const resetWebhookText = `update webhook w set cursor_order = c.event_order, lease_holder = null, lease_until = null
    from app_counter c where w.package_name = $1 and c.package_name = $1`;

// Whoever delivers loses the lease, and writes nothing of what is gone. Served by the primary keys.
const resetWebhook = statement({ name: 'reset_webhook', text: resetWebhookText, row: NoRow });

// One that was put since that ran. Whoever holds it may wait for the counter row. Served by the primary keys.
const resetLateWebhook = statement({
  name: 'reset_late_webhook',
  text: `${resetWebhookText} and w.ctid in (
      select ctid from webhook where package_name = $1 for update skip locked)`,
  row: NoRow,
});

// Orders go on, so that no order names two things. The time of the last void goes with the voids: the app's
// clock may have been years ahead.
const resetCounter = statement({
  name: 'reset_app_counter',
  text: 'update app_counter set last_voided_time = 0 where package_name = $1',
  row: NoRow,
});

/** Removes what is too much for one `emptyApp`, a part of it: false when there is nothing of that kind. */
export async function thinOutApp(transaction: Queryable, packageName: string): Promise<boolean> {
  await lockApp(transaction, packageName);
  for (const thinning of thinnings) {
    const [row] = await transaction.rows(thinning, [packageName, removedTogetherMax]);
    if (row !== undefined && row.removed > 0) return true;
  }
  return false;
}

/**
 * Empties an app whose clock the transaction holds. False when somebody holds a row that came meanwhile: then a part
 * of what belongs together may be gone, and nothing of it must be committed.
 */
export async function emptyApp(transaction: Queryable, packageName: string): Promise<boolean> {
  await lockApp(transaction, packageName);
  await transaction.rows(resetWebhook, [packageName]);
  for (const deletion of deletions) await transaction.rows(deletion, [packageName]);
  await removeFaults(transaction, packageName);
  await transaction.rows(resetCounter, [packageName]);
  // From here on nobody commits a change of the app: each needs the counter row.
  if (!(await hasRows(transaction, packageName))) return true;
  for (const deletion of deletionsOfLateRows) await transaction.rows(deletion, [packageName]);
  await transaction.rows(resetLateWebhook, [packageName]);
  return !(await hasRows(transaction, packageName));
}

async function hasRows(transaction: Queryable, packageName: string): Promise<boolean> {
  const [row] = await transaction.rows(isAnythingLeft, [packageName]);
  return row?.isLeft === true;
}
