// The rows of the app of a random history.

import type { Pool } from 'pg';

/** Whether no job runs a statement. */
export async function isIdle(database: Pool): Promise<boolean> {
  const { rows } = await database.query(
    `select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  );
  return rows.length === 0;
}

interface StoredAttempt {
  readonly outcome: string | null;
  readonly purchaseId: string | null;
  readonly isRefundDue: boolean;
}

/** By idempotency key. */
export async function attemptsOf(database: Pool, packageName: string): Promise<Map<string, StoredAttempt>> {
  const { rows } = await database.query(
    `select idempotency_key as key, outcome, purchase_id as "purchaseId", refund_due_time is not null as "isRefundDue"
      from renewal_attempt where package_name = $1`,
    [packageName],
  );
  return new Map(rows.map(({ key, ...attempt }) => [key, attempt]));
}

/** The newest attempt without an outcome. */
export async function unsettledAttemptOf(database: Pool, packageName: string, id: string) {
  const { rows } = await database.query(
    `select period_index as "periodIndex", attempt, idempotency_key as key from renewal_attempt
      where package_name = $1 and first_purchase_id = $2 and outcome is null
      order by period_index desc, attempt desc limit 1`,
    [packageName, id],
  );
  return rows[0];
}

export async function deleteApp(database: Pool, packageName: string): Promise<void> {
  for (const table of ['subscription', 'renewal_attempt', 'purchase', 'event', 'app_counter']) {
    await database.query(`delete from ${table} where package_name = $1`, [packageName]);
  }
}
