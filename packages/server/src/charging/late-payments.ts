// Payments with the keys of attempts that were settled as declined: each gives its period, or its money has to go back.

import type { PurchaseId } from '../domain/identifiers.ts';
import { decideLatePayment } from '../domain/subscriptions/renewal.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import { appendAction, logAction } from '../store/audit/actions.ts';
import type { Queryable } from '../store/connection/database.ts';
import type { Author } from '../store/events/events.ts';
import { findAttempt } from '../store/subscriptions/attempt-lists.ts';
import { isPeriodFree, writeLatePayment } from '../store/subscriptions/late-payments.ts';
import { renewableFromRow, type SubscriptionRow } from '../store/subscriptions/subscriptions.ts';
import type { AnsweredCharge, SettledCharge } from './charges.ts';
import { paidPeriodOf } from './paid-periods.ts';
import type { SettlingOptions } from './renewal-options.ts';

/** Undefined if the attempt was settled as paid, or if it is known that its money has to go back. */
export async function settleLatePaid(
  transaction: Queryable,
  { retries }: SettlingOptions,
  {
    row,
    charged,
    instant,
    isAnotherOpen,
    purchaseId,
  }: {
    readonly row: SubscriptionRow;
    readonly charged: NonNullable<AnsweredCharge['charged']>;
    readonly instant: number;
    /** Whether another attempt of the subscription has no outcome. */
    readonly isAnotherOpen: boolean;
    readonly purchaseId: PurchaseId;
  },
): Promise<SettledCharge | undefined> {
  const { packageName, firstPurchaseId } = row;
  const { periodIndex, attempt, idempotencyKey } = charged;
  const latePaid = await findAttempt(transaction, { packageName, firstPurchaseId, periodIndex, attempt });
  if (latePaid?.idempotencyKey !== idempotencyKey || latePaid.refundDueTime !== null) return undefined;
  if (latePaid.outcome === null || latePaid.outcome === 'paid') return undefined;
  const isFree = await isPeriodFree(transaction, latePaid);
  const by = { now: instant, retries, isAnotherOpen, isPeriodFree: isFree, purchaseId };
  const settlement = decideLatePayment(renewableFromRow(row), latePaid, by);
  return { row, instant, latePaid, settlement };
}

function isRefundDue({ latePaid, settlement }: SettledCharge): boolean {
  return latePaid !== undefined && settlement.kind !== 'renewed';
}

export async function writeLatePaid(
  transaction: Queryable,
  settled: readonly SettledCharge[],
): Promise<void> {
  for (const one of settled) {
    const { latePaid, instant } = one;
    const paidPeriod = paidPeriodOf(one);
    if (latePaid === undefined || latePaid.outcome === null) continue;
    await writeLatePayment(transaction, {
      ...latePaid,
      outcome: paidPeriod === undefined ? latePaid.outcome : 'paid',
      settledTime: paidPeriod === undefined ? (latePaid.settledTime ?? instant) : instant,
      purchaseId: paidPeriod?.purchaseId ?? null,
      refundDueTime: isRefundDue(one) ? instant : null,
    });
  }
}

/** Names the key of each charge that has to be refunded in an action, in the log and in a metric. Locks the counter row. */
export async function appendRefunds(
  transaction: Queryable,
  { log, onRefundDue }: Pick<SettlingOptions, 'log' | 'onRefundDue'>,
  { settled, author }: { readonly settled: readonly SettledCharge[]; readonly author: Author },
): Promise<void> {
  for (const { latePaid, instant } of settled.filter(isRefundDue)) {
    if (latePaid === undefined || latePaid.outcome === null) continue;
    const { packageName, firstPurchaseId, periodIndex, attempt, outcome, idempotencyKey } = latePaid;
    const action = {
      ...author,
      time: instant,
      operationId: 'settleAttempt',
      clientAddress: null,
      subject: firstPurchaseId,
      detail: { periodIndex, attempt, outcome, idempotencyKey, refund: 'due' } as const,
      ...{ reasonCode: null, note: null, ticket: null },
    };
    await appendAction(transaction, packageName, action);
    logAction(log, { packageName, ...action });
    logAlert(log, 'refundDue', { app: packageName, firstPurchaseId, idempotencyKey });
    onRefundDue();
  }
}
