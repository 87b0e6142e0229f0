// Attempts that were paid after they had been settled as declined: they gave their period, or their money has to go back.

import type { AttemptOutcome } from '@opentill/contract/renewals.ts';
import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';
import type { AttemptKey } from './attempt-lists.ts';

// Served by the primary key.
const updateLatePayment = statement({
  name: 'update_late_payment',
  text: `update renewal_attempt set outcome = $5, settled_time = $6, purchase_id = $7, refund_due_time = $8
    where package_name = $1 and first_purchase_id = $2 and period_index = $3 and attempt = $4`,
  row: NoRow,
});

// Served by the primary key.
const endRefund = statement({
  name: 'end_refund',
  text: `update renewal_attempt set refund_due_time = null
    where package_name = $1 and first_purchase_id = $2 and period_index = $3 and attempt = $4`,
  row: NoRow,
});

// Served by purchase_period.
const selectPeriod = statement({
  name: 'select_purchase_of_period',
  text: `select purchase_id as "purchaseId" from purchase
    where package_name = $1 and first_purchase_id = $2 and period_index = $3`,
  row: Type.Object({ purchaseId: Type.String() }),
});

export interface LatePayment extends AttemptKey {
  readonly outcome: AttemptOutcome;
  readonly settledTime: number;
  /** The period that it paid, given or voided. */
  readonly purchaseId: string | null;
  /** Null if the period is given. */
  readonly refundDueTime: number | null;
}

/** Writes a settled attempt that was paid; the transaction has locked its subscription. */
export async function writeLatePayment(transaction: Queryable, paid: LatePayment): Promise<void> {
  const { packageName, firstPurchaseId, periodIndex, attempt, ...changed } = paid;
  const { outcome, settledTime, purchaseId, refundDueTime } = changed;
  const key = [packageName, firstPurchaseId, periodIndex, attempt];
  await transaction.rows(updateLatePayment, [...key, outcome, settledTime, purchaseId, refundDueTime]);
}

/** An operator has seen that the money has to go back. */
export async function acknowledgeRefund(transaction: Queryable, key: AttemptKey): Promise<void> {
  await transaction.rows(endRefund, [key.packageName, key.firstPurchaseId, key.periodIndex, key.attempt]);
}

/** Whether the period of an attempt has no purchase, not even one that was voided. */
export async function isPeriodFree(transaction: Queryable, key: AttemptKey): Promise<boolean> {
  const of = [key.packageName, key.firstPurchaseId, key.periodIndex];
  return (await transaction.rows(selectPeriod, of)).length === 0;
}
