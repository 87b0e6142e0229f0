// Second transaction of a renewal: checks that each attempt of locked subscriptions is still open, and writes months,
// subscriptions, outcomes and events together (docs/decisions/renewals.md).

import { decideFallenDue, nextTryTime } from '../../../domain/subscriptions/renewal.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { type Author, appendEvents } from '../../../store/events/events.ts';
import {
  type AttemptRow,
  findNewestAttempts,
  postponeAttempts,
  settleAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import { updateRenewedSubscriptions } from '../../../store/subscriptions/renewed-subscriptions.ts';
import type { HeldSubscription } from '../../../store/subscriptions/subscriptions.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import { subscriptionOf } from '../subscription-view.ts';
import type { BegunCharge, BegunExpiry } from './begin-renewals.ts';
import {
  decideAndInsertMonths,
  eventsOf,
  renewedRow,
  type Settleable,
  type Settled,
  voidPaidInVain,
} from './paid-months.ts';
import type { RenewalParts } from './renewal-parts.ts';

interface AnsweredCharge extends BegunCharge {
  readonly answer: ChargeAnswer;
}

/** What the second transaction settles at its `instant`. */
export type AnsweredRenewal = AnsweredCharge | BegunExpiry;

interface Postponed {
  readonly firstPurchaseId: string;
  readonly nextTryTime: number;
  readonly instant: number;
}

interface Answers {
  readonly packageName: string;
  /** Written in this order. */
  readonly answered: readonly AnsweredRenewal[];
  /** Locked by the transaction; an answer without its row is skipped. */
  readonly rows: readonly HeldSubscription[];
}

/** Writes everything but the events, so that the lock of the counter row can come last. */
export async function settleRenewals(
  transaction: Queryable,
  parts: RenewalParts,
  { packageName, answered, rows }: Answers,
): Promise<{ readonly settled: readonly Settled[]; readonly postponed: readonly Postponed[] }> {
  const firstPurchaseIds = rows.map((row) => row.firstPurchaseId);
  const newest = await findNewestAttempts(transaction, { packageName, firstPurchaseIds });
  const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
  const settleable: Settleable[] = [];
  const postponed: Postponed[] = [];
  for (const one of answered) {
    const { firstPurchaseId, instant } = one;
    const row = rowOf.get(firstPurchaseId);
    const attempt = newest.get(firstPurchaseId);
    if (row === undefined) continue;
    if (one.kind === 'expiry') {
      if (isExpiryDue(row, instant)) settleable.push({ row, instant });
    } else if (attempt?.idempotencyKey !== one.charge.idempotencyKey || attempt.outcome !== null) {
      logConflictingAnswer(parts, one, attempt);
    } else if (one.answer.outcome !== 'pending' && one.answer.outcome !== 'unknown') {
      settleable.push({ row, instant, answer: { ...one.charge, outcome: one.answer.outcome } });
    } else if (attempt.leaseHolder === parts.holder) {
      postponed.push({ firstPurchaseId, nextTryTime: nextTryTime(one.tries, instant), instant });
    }
  }
  await postponeAttempts(transaction, packageName, postponed);
  const settled = await decideAndInsertMonths(transaction, parts, settleable);
  await updateRenewedSubscriptions(transaction, packageName, settled.map(renewedRow));
  await settleAttempts(transaction, packageName, settled.flatMap(settledAttempt));
  return { settled, postponed };
}

/** Voids months that were paid in vain and appends the events of all, the last step before the commit. */
export async function appendRenewalEvents(
  transaction: Queryable,
  { crashPoints }: RenewalParts,
  {
    packageName,
    settled,
    author,
  }: { readonly packageName: string; readonly settled: readonly Settled[]; readonly author: Author },
): Promise<void> {
  const voidedTimes = await voidPaidInVain(transaction, packageName, settled);
  const events = settled.flatMap((one) => eventsOf(one, voidedTimes));
  await appendEvents(transaction, packageName, events, author);
  crashPoints('beforeCommit');
}

/** False if the subscription was reactivated since the first transaction. */
function isExpiryDue(row: HeldSubscription, now: number): boolean {
  return decideFallenDue({ ...row, ...subscriptionOf(row) }, { now, newest: undefined })?.kind === 'expiry';
}

/** Another server has settled the attempt: with the same outcome, unless the gateway is at fault. */
function logConflictingAnswer(
  { log, environment }: RenewalParts,
  { charge: { idempotencyKey }, answer: { outcome } }: AnsweredCharge,
  newest: AttemptRow | undefined,
): void {
  // The sandbox's gateway answers each try by the faults of the app, which may have been reset since then.
  if (outcome !== 'paid' || environment === 'sandbox' || newest === undefined) return;
  if (newest.idempotencyKey === idempotencyKey && newest.outcome === outcome) return;
  log.error({ idempotencyKey, outcome }, 'the payment gateway gave two different answers for one charge');
}

function settledAttempt({ row: { firstPurchaseId }, outcome, month, instant }: Settled) {
  const purchaseId = month?.purchaseId ?? null;
  return outcome === undefined ? [] : [{ firstPurchaseId, outcome, settledTime: instant, purchaseId }];
}
