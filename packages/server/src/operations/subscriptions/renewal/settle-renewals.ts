// Second transaction of a renewal: checks that each attempt of locked subscriptions is still open, and writes months,
// subscriptions, outcomes and events together (docs/decisions/subscriptions.md).

import { attemptLeaseMs, isLeased } from '../../../domain/clocks/leases.ts';
import { decideDueWork, heldUntil, nextTryTime } from '../../../domain/subscriptions/renewal.ts';
import { logAlert } from '../../../runtime/alert-lines.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { type Author, appendEvents } from '../../../store/events/events.ts';
import { type ContradictingPayment, markConflicts } from '../../../store/subscriptions/attempt-conflicts.ts';
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
import type { BegunCharge, BegunWithoutCharge } from './begin-renewals.ts';
import {
  decideAndInsertMonths,
  eventsOf,
  renewedRow,
  type Settleable,
  type Settled,
  voidPaidAfterEnd,
} from './paid-months.ts';
import type { SettlingOptions } from './renewal-options.ts';

/** The answer to an open attempt, from the gateway or an operator. */
interface AnsweredCharge extends Omit<BegunCharge, 'charge' | 'sendableUntil'> {
  readonly charge: Pick<BegunCharge['charge'], 'idempotencyKey' | 'periodIndex' | 'attempt'>;
  readonly answer: ChargeAnswer;
}

/** What the second transaction settles at its `instant`. */
export type AnsweredRenewal = AnsweredCharge | BegunWithoutCharge;

interface Postponed extends PostponedAttempt {
  readonly instant: number;
}

interface Answers {
  readonly packageName: string;
  /** Written in this order. */
  readonly answered: readonly AnsweredRenewal[];
  /** Locked by the transaction; an answer without its row is skipped. */
  readonly rows: readonly LockedSubscription[];
  /** The database's time, which leases are compared with. */
  readonly realNow: number;
  readonly author: Author;
}

/**
 * Writes everything but the events, so that the lock of the counter row can come last. A month that is paid after its
 * subscription ended is inserted here and voided by appendRenewalEvents in the same transaction.
 */
export async function settleRenewals(
  transaction: Queryable,
  options: SettlingOptions,
  { packageName, answered, rows, realNow, author }: Answers,
): Promise<{ readonly settled: readonly Settled[]; readonly postponed: readonly Postponed[] }> {
  const firstPurchaseIds = rows.map((row) => row.firstPurchaseId);
  const newest = await findNewestAttempts(transaction, { packageName, firstPurchaseIds });
  const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
  const settleable: Settleable[] = [];
  const postponed: Postponed[] = [];
  const contradicting: ContradictingPayment[] = [];
  for (const one of answered) {
    const row = rowOf.get(one.firstPurchaseId);
    const attempt = newest.get(one.firstPurchaseId);
    if (row === undefined) continue;
    const found =
      one.kind === 'noCharge'
        ? settleWithoutCharge(options, one, { row, attempt, realNow })
        : settleCharge(options, one, { row, attempt, realNow });
    if (found.contradicting !== undefined) contradicting.push(found.contradicting);
    if (found.settleable !== undefined) settleable.push(found.settleable);
    if (found.postponed !== undefined) postponed.push(found.postponed);
  }
  const settled = await decideAndInsertMonths(transaction, { ...options, author }, settleable);
  const changed = { rows: settled.map(renewedRow), changedBy: author.madeBy };
  await updateRenewedSubscriptions(transaction, packageName, changed);
  await settleAttempts(transaction, packageName, settled.flatMap(settledAttempt));
  const unresolved = settled.filter(({ outcome }) => outcome === 'unresolved');
  const unresolvedIds = unresolved.map(({ row }) => row.firstPurchaseId);
  await leaveAttemptsUnresolved(transaction, { packageName, firstPurchaseIds: unresolvedIds });
  await postponeAttempts(transaction, packageName, postponed);
  await writeConflicts(transaction, options, { packageName, contradicting });
  return { settled, postponed };
}

/** A locked subscription and its newest attempt. */
interface Found {
  readonly row: LockedSubscription;
  readonly attempt: AttemptRow | undefined;
  readonly realNow: number;
}

interface Decided {
  readonly settleable?: Settleable;
  readonly postponed?: Postponed;
  readonly contradicting?: ContradictingPayment;
}

/** Empty if the subscription changed in the meantime: reactivated, or being charged by another server. */
function settleWithoutCharge(
  { log }: SettlingOptions,
  { firstPurchaseId, instant, window }: BegunWithoutCharge,
  { row, attempt, realNow }: Found,
): Decided {
  if (isLeased(attempt?.leaseUntil, realNow, attemptLeaseMs)) return {};
  const due = decideDueWork(renewableFromRow(row), { now: instant, newest: attempt, window });
  if (due?.kind === 'unresolved') {
    const { packageName: app } = row;
    const { idempotencyKey } = attempt ?? {};
    logAlert(log, 'chargeUnresolved', { app, idempotencyKey });
    return { settleable: { row, instant, window, answer: 'unresolved' } };
  }
  const isOpen = row.openChargeTime !== null && attempt !== undefined;
  if (due?.kind === 'held') {
    if (!isOpen) return { settleable: { row, instant, window, answer: 'held' } };
    return { postponed: { firstPurchaseId, nextTryTime: heldUntil(instant), isPending: false, instant } };
  }
  if (due?.kind !== 'expiry') return {};
  const settleable = { row, instant, window, answer: 'expiry' } as const;
  if (!isOpen) return { settleable };
  // The gateway is asked again in a later transaction, so that its answer meets an expired subscription.
  const nextTry = nextTryTime(attempt.tries, instant);
  return { settleable, postponed: { firstPurchaseId, nextTryTime: nextTry, isPending: true, instant } };
}

function settleCharge(options: SettlingOptions, one: AnsweredCharge, { row, attempt }: Found): Decided {
  const { firstPurchaseId, instant, charge, answer, window } = one;
  const { outcome } = answer;
  if (attempt?.idempotencyKey !== charge.idempotencyKey || attempt.outcome !== null) {
    // The sandbox's gateway answers each try by the faults of the app, which may have been reset since then.
    if (outcome !== 'paid' || options.environment === 'sandbox') return {};
    return { contradicting: { ...charge, firstPurchaseId, conflictTime: instant } };
  }
  if (outcome !== 'pending' && outcome !== 'unknown') {
    return { settleable: { row, instant, answer: { ...charge, outcome }, window } };
  }
  if (attempt.leaseHolder !== options.holder) return {};
  const nextTry = nextTryTime(one.tries, instant);
  const isPending = outcome === 'pending';
  return { postponed: { firstPurchaseId, nextTryTime: nextTry, isPending, instant } };
}

interface Written {
  readonly packageName: string;
  readonly settled: readonly Settled[];
  readonly author: Author;
  /**
   * In an advance, where everything has its own instant as its date: the app's time, up to which windows of the voided list
   * may have been read.
   */
  readonly advancedFrom?: number;
}

/** Voids months that were paid after the end and appends the events of all, the last step before the commit. */
export async function appendRenewalEvents(
  transaction: Queryable,
  { testing, clock }: Pick<SettlingOptions, 'testing' | 'clock'>,
  { packageName, settled, author, advancedFrom }: Written,
): Promise<void> {
  const voidedBy = author.madeBy;
  const voids = { settled, voidedBy, clock, advancedFrom };
  const voidedTimes = await voidPaidAfterEnd(transaction, packageName, voids);
  const events = settled.flatMap((one) => eventsOf(one, voidedTimes));
  await appendEvents(transaction, packageName, events, author);
  testing?.crashPoints('beforeCommit');
}

/** Marks attempts that were settled as declined, by the gateway or an operator, and are paid after all. */
async function writeConflicts(
  transaction: Queryable,
  { log, onConflict }: SettlingOptions,
  {
    packageName,
    contradicting,
  }: { readonly packageName: string; readonly contradicting: readonly ContradictingPayment[] },
): Promise<void> {
  for (const idempotencyKey of await markConflicts(transaction, packageName, contradicting)) {
    logAlert(log, 'chargeConflict', { app: packageName, idempotencyKey });
    onConflict();
  }
}

function settledAttempt({ row: { firstPurchaseId }, outcome, month, instant }: Settled) {
  if (outcome === undefined || outcome === 'unresolved') return [];
  return [{ firstPurchaseId, outcome, settledTime: instant, purchaseId: month?.purchaseId ?? null }];
}
