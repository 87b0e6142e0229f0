// Removes all that happened in an app, in the sandbox only: who may call it, and what it sells, stays.

import type { Queryable } from './database.ts';
import { NoRow, statement } from './statement.ts';

/** In the one order of locks: subscriptions, what belongs to them, purchases; the counter row comes last. */
const emptied = [
  'subscription',
  'renewal_attempt',
  'purchase',
  'event',
  'fault',
  'request_log',
  'app_clock',
] as const;

// Each is served by the primary key.
const deletions = emptied.map((table) =>
  statement({ name: `reset_${table}`, text: `delete from ${table} where package_name = $1`, row: NoRow }),
);

// Orders go on, so that no order names two things. The time of the last void goes with the voids: the app's
// clock may have been years ahead.
const resetCounter = statement({
  name: 'reset_app_counter',
  text: 'update app_counter set last_voided_time = 0 where package_name = $1',
  row: NoRow,
});

/** Empties an app whose clock the transaction holds. */
export async function emptyApp(transaction: Queryable, packageName: string): Promise<void> {
  for (const deletion of deletions) await transaction.rows(deletion, [packageName]);
  await transaction.rows(resetCounter, [packageName]);
}
