// Second transaction of a renewal: checks that each attempt of locked subscriptions is still open, and writes months,
// subscriptions, outcomes and events together (docs/decisions/renewals.md).

import { attemptLeaseMs, isLeased } from '../../../domain/clocks/leases.ts';
import { decideDueWork, nextTryTime } from '../../../domain/subscriptions/renewal.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { type Author, appendEvents } from '../../../store/events/events.ts';
import {
  type AttemptRow,
  findNewestAttempts,
  leaveAttemptsUnresolved,
  type PostponedAttempt,
  postponeAttempts,
  settleAttempts,
} from '../../../store/subscriptions/renewal-attempts.ts';
import { updateRenewedSubscriptions } from '../../../store/subscriptions/renewed-subscriptions.ts';
import { type LockedSubscription, renewableFromRow } from '../../../store/subscriptions/subscriptions.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import type { BegunCharge, BegunExpiry } from './begin-renewals.ts';
import {
  decideAndInsertMonths,
  eventsOf,
  renewedRow,
  type Settleable,
  type Settled,
  voidPaidAfterEnd,
} from './paid-months.ts';
import type { SettlingParts } from './renewal-parts.ts';

/** The answer to an open attempt, from the gateway or an operator. */
interface AnsweredCharge extends Omit<BegunCharge, 'charge'> {
  readonly charge: Pick<BegunCharge['charge'], 'idempotencyKey' | 'periodIndex' | 'attempt'>;
  readonly answer: ChargeAnswer;
}

/** What the second transaction settles at its `instant`. */
export type AnsweredRenewal = AnsweredCharge | BegunExpiry;

interface Postponed extends PostponedAttempt {
  readonly instant: number;
}

interface Answers {
  readonly packageName: string;
  /** Written in this order. */
  readonly answered: readonly AnsweredRenewal[];
  /** Locked by the transaction; an answer without its row is skipped. */
  readonly rows: readonly LockedSubscription[];
  readonly author: Author;
}

/**
 * Writes everything but the events, so that the lock of the counter row can come last. A month that is paid after its
 * subscription ended is inserted here and voided by appendRenewalEvents in the same transaction.
 */
export async function settleRenewals(
  transaction: Queryable,
  parts: SettlingParts,
  { packageName, answered, rows, author }: Answers,
): Promise<{ readonly settled: readonly Settled[]; readonly postponed: readonly Postponed[] }> {
  const firstPurchaseIds = rows.map((row) => row.firstPurchaseId);
  const newest = await findNewestAttempts(transaction, { packageName, firstPurchaseIds });
  const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
  const settleable: Settleable[] = [];
  const postponed: Postponed[] = [];
  for (const one of answered) {
    const row = rowOf.get(one.firstPurchaseId);
    const attempt = newest.get(one.firstPurchaseId);
    if (row === undefined) continue;
    const found =
      one.kind === 'expiry'
        ? settleExpiry(parts, one, { row, attempt })
        : settleCharge(parts, one, { row, attempt });
    if (found.settleable !== undefined) settleable.push(found.settleable);
    if (found.postponed !== undefined) postponed.push(found.postponed);
  }
  const settled = await decideAndInsertMonths(transaction, { ...parts, author }, settleable);
  const changed = { rows: settled.map(renewedRow), changedBy: author.madeBy };
  await updateRenewedSubscriptions(transaction, packageName, changed);
  await settleAttempts(transaction, packageName, settled.flatMap(settledAttempt));
  const unresolved = settled.filter(({ outcome }) => outcome === 'unresolved');
  const unresolvedIds = unresolved.map(({ row }) => row.firstPurchaseId);
  await leaveAttemptsUnresolved(transaction, { packageName, firstPurchaseIds: unresolvedIds });
  await postponeAttempts(transaction, packageName, postponed);
  return { settled, postponed };
}

/** A locked subscription and its newest attempt. */
interface Found {
  readonly row: LockedSubscription;
  readonly attempt: AttemptRow | undefined;
}

interface Decided {
  readonly settleable?: Settleable;
  readonly postponed?: Postponed;
}

/** Nothing if that changed since the first transaction: it was reactivated, or another server retries its charge. */
function settleExpiry(
  { clock, log }: SettlingParts,
  { firstPurchaseId, instant, window }: BegunExpiry,
  { row, attempt }: Found,
): Decided {
  if (isLeased(attempt?.leaseUntil, clock.now(), attemptLeaseMs)) return {};
  const due = decideDueWork(renewableFromRow(row), { now: instant, newest: attempt, window });
  if (due?.kind === 'unresolved') {
    const { packageName: app } = row;
    const { idempotencyKey } = attempt ?? {};
    log.warn(
      { app, idempotencyKey },
      'a charge of unknown outcome is not retried any more: settle it by hand',
    );
    return { settleable: { row, instant, window, answer: 'unresolved' } };
  }
  if (due?.kind !== 'expiry') return {};
  const settleable = { row, instant, window, answer: 'expiry' } as const;
  if (row.openChargeTime === null || attempt === undefined) return { settleable };
  // The gateway is asked again in a later transaction, so that its answer meets an expired subscription.
  const nextTry = nextTryTime(attempt.tries, instant);
  return { settleable, postponed: { firstPurchaseId, nextTryTime: nextTry, isPending: true, instant } };
}

function settleCharge(parts: SettlingParts, one: AnsweredCharge, { row, attempt }: Found): Decided {
  const { firstPurchaseId, instant, charge, answer, window } = one;
  const { outcome } = answer;
  if (attempt?.idempotencyKey !== charge.idempotencyKey || attempt.outcome !== null) {
    logConflictingAnswer(parts, one, attempt);
    return {};
  }
  if (outcome !== 'pending' && outcome !== 'unknown') {
    return { settleable: { row, instant, answer: { ...charge, outcome }, window } };
  }
  if (attempt.leaseHolder !== parts.holder) return {};
  const nextTry = nextTryTime(one.tries, instant);
  const isPending = outcome === 'pending';
  return { postponed: { firstPurchaseId, nextTryTime: nextTry, isPending, instant } };
}

/** Voids months that were paid after the end and appends the events of all, the last step before the commit. */
export async function appendRenewalEvents(
  transaction: Queryable,
  { crashPoints }: Pick<SettlingParts, 'crashPoints'>,
  {
    packageName,
    settled,
    now,
    author,
  }: {
    readonly packageName: string;
    readonly settled: readonly Settled[];
    /** The app's instant, at or after that of each item. */
    readonly now: number;
    readonly author: Author;
  },
): Promise<void> {
  const voidedTimes = await voidPaidAfterEnd(transaction, packageName, {
    settled,
    now,
    voidedBy: author.madeBy,
  });
  const events = settled.flatMap((one) => eventsOf(one, voidedTimes));
  await appendEvents(transaction, packageName, events, author);
  crashPoints('beforeCommit');
}

/** Another server has settled the attempt: with the same outcome, unless the gateway is at fault. */
function logConflictingAnswer(
  { log, environment }: SettlingParts,
  { charge: { idempotencyKey }, answer: { outcome } }: AnsweredCharge,
  newest: AttemptRow | undefined,
): void {
  // The sandbox's gateway answers each try by the faults of the app, which may have been reset since then.
  if (outcome !== 'paid' || environment === 'sandbox' || newest === undefined) return;
  if (newest.idempotencyKey === idempotencyKey && newest.outcome === outcome) return;
  log.error({ idempotencyKey, outcome }, 'the payment gateway gave two different answers for one charge');
}

function settledAttempt({ row: { firstPurchaseId }, outcome, month, instant }: Settled) {
  if (outcome === undefined || outcome === 'unresolved') return [];
  return [{ firstPurchaseId, outcome, settledTime: instant, purchaseId: month?.purchaseId ?? null }];
}
