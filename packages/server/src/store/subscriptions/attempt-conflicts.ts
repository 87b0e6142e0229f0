// Attempts that were settled as declined and then paid: they are in conflict until an operator settles them again.

import type { AttemptOutcome } from '@opentill/contract/renewals.ts';
import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';

// Served by the primary key.
const markConflictingAttempts = statement({
  name: 'mark_conflicts',
  text: `update renewal_attempt a set conflict_time = c.conflict_time
    from unnest($2::text[], $3::integer[], $4::integer[], $5::text[], $6::bigint[])
      as c (first_purchase_id, period_index, attempt, idempotency_key, conflict_time)
    where a.package_name = $1 and a.first_purchase_id = c.first_purchase_id and a.period_index = c.period_index
      and a.attempt = c.attempt and a.idempotency_key = c.idempotency_key
      and a.outcome in ('declined', 'declined_final') and a.conflict_time is null
    returning a.idempotency_key as "idempotencyKey"`,
  row: Type.Object({ idempotencyKey: Type.String() }),
});

// Served by the primary key.
const endConflict = statement({
  name: 'end_conflict',
  text: `update renewal_attempt set conflict_time = null, outcome = $5, settled_time = $6, purchase_id = $7
    where package_name = $1 and first_purchase_id = $2 and period_index = $3 and attempt = $4
      and conflict_time is not null`,
  row: NoRow,
});

interface AttemptKey {
  readonly firstPurchaseId: string;
  readonly periodIndex: number;
  readonly attempt: number;
}

/** A payment with the key of an attempt that is settled. */
export interface ContradictingPayment extends AttemptKey {
  readonly idempotencyKey: string;
  readonly conflictTime: number;
}

/** Returns the keys of those that were settled as declined; the transaction has locked their subscriptions. */
export async function markConflicts(
  transaction: Queryable,
  packageName: string,
  payments: readonly ContradictingPayment[],
): Promise<string[]> {
  if (payments.length === 0) return [];
  const rows = await transaction.rows(markConflictingAttempts, [
    packageName,
    payments.map(({ firstPurchaseId }) => firstPurchaseId),
    payments.map(({ periodIndex }) => periodIndex),
    payments.map(({ attempt }) => attempt),
    payments.map(({ idempotencyKey }) => idempotencyKey),
    payments.map(({ conflictTime }) => conflictTime),
  ]);
  return rows.map(({ idempotencyKey }) => idempotencyKey);
}

interface EndedConflict extends AttemptKey {
  readonly packageName: string;
  readonly outcome: AttemptOutcome;
  readonly settledTime: number;
  /** The month that it paid. */
  readonly purchaseId: string | null;
}

/** Settles an attempt in conflict; the transaction has locked its subscription. */
export async function settleConflictingAttempt(
  transaction: Queryable,
  { packageName, firstPurchaseId, periodIndex, attempt, outcome, settledTime, purchaseId }: EndedConflict,
): Promise<void> {
  const key = [packageName, firstPurchaseId, periodIndex, attempt];
  await transaction.rows(endConflict, [...key, outcome, settledTime, purchaseId]);
}
