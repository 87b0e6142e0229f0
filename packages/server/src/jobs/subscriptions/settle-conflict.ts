// Settles an attempt that was paid after it had been settled as declined: an operator knows what the payment provider did.

import type { PurchaseId } from '../../domain/identifiers.ts';
import { decideSettlement } from '../../domain/subscriptions/renewal.ts';
import type { Queryable } from '../../store/connection/database.ts';
import type { Author } from '../../store/events/events.ts';
import { settleConflictingAttempt } from '../../store/subscriptions/attempt-conflicts.ts';
import type { ListedAttempt } from '../../store/subscriptions/attempt-lists.ts';
import { updateRenewedSubscriptions } from '../../store/subscriptions/renewed-subscriptions.ts';
import {
  type LockedSubscription,
  listMonths,
  renewableFromRow,
} from '../../store/subscriptions/subscriptions.ts';
import { decideAndInsertMonths, renewedRow, type Settled } from './paid-months.ts';
import type { SettlingOptions } from './renewal-options.ts';

interface ConflictSettlement {
  /** Locked by the transaction, without an open attempt if the outcome is `paid`. */
  readonly row: LockedSubscription;
  readonly attempt: ListedAttempt;
  /** `declined`: nothing was taken, or it was refunded. */
  readonly outcome: 'paid' | 'declined';
  readonly now: number;
  readonly author: Author;
}

/**
 * Records the month that was paid, unless another attempt has paid it: then the money has to be refunded. Its events are
 * written by the caller.
 */
export async function settleConflict(
  transaction: Queryable,
  options: SettlingOptions,
  { row, attempt, outcome, now, author }: ConflictSettlement,
): Promise<{ readonly settled: readonly Settled[]; readonly isRefundDue: boolean }> {
  const { packageName, periodIndex } = attempt;
  if (outcome === 'declined') {
    const settledTime = attempt.settledTime ?? now;
    await settleConflictingAttempt(transaction, { ...attempt, outcome, settledTime, purchaseId: null });
    return { settled: [], isRefundDue: false };
  }
  const period = {
    packageName,
    firstPurchaseId: row.firstPurchaseId,
    fromPeriod: periodIndex,
    toPeriod: periodIndex,
  };
  const isPaid = (await listMonths(transaction, period, 1)).length > 0;
  const decide = (purchaseId: PurchaseId) =>
    decideSettlement(renewableFromRow(row), attempt, { outcome, now, purchaseId, retries: options.retries });
  const item = { row, instant: now, decide };
  const settled = await decideAndInsertMonths(transaction, { ...options, author }, isPaid ? [] : [item]);
  const rows = settled.map(renewedRow);
  await updateRenewedSubscriptions(transaction, packageName, { rows, changedBy: author.madeBy });
  const purchaseId = settled[0]?.month?.purchaseId ?? null;
  await settleConflictingAttempt(transaction, { ...attempt, outcome, settledTime: now, purchaseId });
  return { settled, isRefundDue: isPaid };
}
