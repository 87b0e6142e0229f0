// Settles an attempt whose outcome an operator knows, with the effect of the same answer of the gateway.

import type { AttemptNumber } from '../../domain/subscriptions/renewal.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { SettleByHand } from '../../operations/subscriptions/settleAttempt.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { findNewestAttempts } from '../../store/subscriptions/renewal-attempts.ts';
import type { SettlingOptions } from './renewal-options.ts';
import { settleConflict } from './settle-conflict.ts';
import { appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

type Settled = Parameters<SettleByHand>[1];

export function settleByHand(options: SettlingOptions): SettleByHand {
  return async (transaction, settled) => {
    const { attempt, outcome } = settled;
    if (attempt.conflictTime !== null) return writeConflictOutcome(transaction, options, settled);
    await writeOutcome(transaction, options, settled);
    return { detail: `${nameOf(attempt)}: ${outcome}` };
  };
}

async function writeOutcome(
  transaction: Queryable,
  options: SettlingOptions,
  { row, attempt, outcome, now, realNow, author }: Settled,
): Promise<void> {
  const { packageName, firstPurchaseId } = attempt;
  const charged = { charge: attempt, answer: { outcome } };
  const settled = await settleRenewals(transaction, options, {
    packageName,
    answered: [{ firstPurchaseId, instant: now, charged }],
    rows: [row],
    realNow,
    author,
  });
  await appendRenewalEvents(transaction, options, { packageName, settled, author });
}

async function writeConflictOutcome(
  transaction: Queryable,
  options: SettlingOptions,
  { row, attempt, outcome, now, author }: Settled,
) {
  const { packageName, firstPurchaseId, idempotencyKey } = attempt;
  if (outcome === 'declined_final') {
    return new Refusal('conflict', 'The attempt is in conflict: expected the outcome paid or declined.');
  }
  const keys = { packageName, firstPurchaseIds: [firstPurchaseId] };
  const newest = (await findNewestAttempts(transaction, keys)).get(firstPurchaseId);
  // If it is paid as well, its month exists and its money has to be refunded.
  if (outcome === 'paid' && newest?.outcome === null) {
    return new Refusal('conflict', `Settle ${nameOf(newest)} first: it has no outcome yet.`);
  }
  const settlement = { row, attempt, outcome, now, author };
  const { settled, isRefundDue } = await settleConflict(transaction, options, settlement);
  await appendRenewalEvents(transaction, options, { packageName, settled, author });
  const refund = isRefundDue ? `; the month was paid by another attempt: refund ${idempotencyKey}` : '';
  return { detail: `${nameOf(attempt)}: ${outcome}${refund}` };
}

function nameOf({ periodIndex, attempt }: AttemptNumber): string {
  return `month ${periodIndex}, attempt ${attempt}`;
}
