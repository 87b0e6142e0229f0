// Second transaction of a renewal: checks that each attempt of locked subscriptions is still open, and writes periods,
// subscriptions, outcomes and events together (docs/decisions/subscriptions.md).

import { attemptLeaseMs, isLeased } from '../domain/clocks/leases.ts';
import type { PurchaseId } from '../domain/identifiers.ts';
import { nextTryTime } from '../domain/subscriptions/charge-times.ts';
import { decideDueWork, decideExpiry, decideSettlement } from '../domain/subscriptions/renewal.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import type { Queryable } from '../store/connection/database.ts';
import { DatabaseUnavailable } from '../store/connection/database-failure.ts';
import { type Author, appendEvents } from '../store/events/events.ts';
import { isBeingAdvanced } from '../store/sandbox/app-clocks.ts';
import {
  type AttemptRow,
  changeOpenAttempts,
  findNewestAttempts,
  type Unanswered,
} from '../store/subscriptions/renewal-attempts.ts';
import { updateRenewedSubscriptions } from '../store/subscriptions/renewed-subscriptions.ts';
import { lockFreeSubscriptions, lockSubscriptions } from '../store/subscriptions/subscription-locks.ts';
import { renewableFromRow, type SubscriptionRow } from '../store/subscriptions/subscriptions.ts';
import { type BegunRenewal, happensAt } from './begin-renewals.ts';
import type { Charge, ChargeAnswer } from './gateways/payment-gateway.ts';
import { appendRefunds, type LatePaid, settleLatePaid, writeLatePaid } from './late-payments.ts';
import {
  attemptChanges,
  decideAndInsertPeriods,
  eventsOf,
  renewedRow,
  type Settleable,
  type Settled,
  voidPaidAfterEnd,
} from './paid-periods.ts';
import type { SettlingOptions } from './renewal-options.ts';

/** The answer to an open attempt, from the gateway or an operator. */
interface Charged {
  readonly charge: Pick<Charge, 'idempotencyKey' | 'periodIndex' | 'attempt'>;
  readonly answer: ChargeAnswer;
}

/** What the second transaction settles at its `instant`. */
export interface AnsweredRenewal extends Pick<BegunRenewal, 'firstPurchaseId' | 'instant'> {
  /** Undefined if nothing was charged. */
  readonly charged: Charged | undefined;
}

interface Answers {
  readonly packageName: string;
  /** Written in this order. */
  readonly answered: readonly AnsweredRenewal[];
  /** Locked by the transaction; an answer without its row is skipped. */
  readonly rows: readonly SubscriptionRow[];
  /** The database's time, which leases are compared with. */
  readonly realNow: number;
  readonly author: Author;
}

/**
 * Writes everything but the events, so that the lock of the counter row can come last. A period that is paid after its
 * subscription ended is inserted here and voided by appendRenewalEvents in the same transaction.
 */
export async function settleRenewals(
  transaction: Queryable,
  options: SettlingOptions,
  { packageName, answered, rows, realNow, author }: Answers,
): Promise<readonly Settled[]> {
  const firstPurchaseIds = rows.map((row) => row.firstPurchaseId);
  const newest = await findNewestAttempts(transaction, { packageName, firstPurchaseIds });
  const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
  const settleable: Settleable[] = [];
  for (const one of answered) {
    const row = rowOf.get(one.firstPurchaseId);
    if (row === undefined) continue;
    const found = { row, attempt: newest.get(one.firstPurchaseId), realNow };
    const decided = one.charged
      ? settleCharge(options, { ...one, ...one.charged }, found)
      : settleWithoutCharge(options, one, found);
    const item =
      decided && 'isAnotherOpen' in decided ? await settleLatePaid(transaction, options, decided) : decided;
    if (item !== undefined) settleable.push(item);
  }
  const settled = await decideAndInsertPeriods(transaction, { ...options, author }, settleable);
  const changed = { rows: settled.map(renewedRow), changedBy: author.madeBy };
  await updateRenewedSubscriptions(transaction, packageName, changed);
  await changeOpenAttempts(transaction, packageName, settled.flatMap(attemptChanges));
  await writeLatePaid(transaction, settled);
  return settled;
}

/** A locked subscription and its newest attempt. */
interface Found {
  readonly row: SubscriptionRow;
  readonly attempt: AttemptRow | undefined;
  readonly realNow: number;
}

/** Undefined if the subscription changed in the meantime: reactivated, or being charged by another server. */
function settleWithoutCharge(
  { log }: SettlingOptions,
  { instant }: AnsweredRenewal,
  { row, attempt, realNow }: Found,
): Settleable | undefined {
  if (isLeased(attempt?.leaseUntil, realNow, attemptLeaseMs)) return undefined;
  const subscription = renewableFromRow(row);
  const due = decideDueWork(subscription, { now: instant, newest: attempt });
  const open = row.openChargeTime !== null && attempt?.outcome === null ? attempt : undefined;
  if (due?.kind !== 'expiry' && due?.kind !== 'unresolved') return undefined;
  const expiry = { row, instant, decide: () => decideExpiry(subscription, instant) };
  if (open === undefined) return expiry;
  if (due.kind === 'unresolved') {
    logAlert(log, 'chargeUnresolved', { app: row.packageName, idempotencyKey: open.idempotencyKey });
    return { ...expiry, attempt: { ...open, nextTryTime: null, ...answered } };
  }
  // The gateway is asked again in a later transaction, which then finds the subscription expired.
  return { ...expiry, attempt: { ...open, nextTryTime: nextTryTime(open.tries, instant) } };
}

const answered: Unanswered = { unansweredSince: null, unansweredReason: null };

/** Undefined if another server has settled or taken over the attempt; a payment may still contradict that. */
function settleCharge(
  { environment, holder, retries }: SettlingOptions,
  { instant, charge, answer }: AnsweredRenewal & Charged,
  { row, attempt, realNow }: Found,
): Settleable | LatePaid | undefined {
  const { outcome } = answer;
  if (attempt?.idempotencyKey !== charge.idempotencyKey || attempt.outcome !== null) {
    // The sandbox's gateway answers each try by the faults of the app, which may have been reset since then.
    if (outcome !== 'paid' || environment === 'sandbox') return undefined;
    return { row, charge, instant, isAnotherOpen: attempt?.outcome === null };
  }
  if (outcome !== 'pending' && outcome !== 'unknown') {
    const decide = (purchaseId: PurchaseId) =>
      decideSettlement(renewableFromRow(row), charge, { outcome, now: instant, purchaseId, retries });
    return {
      row,
      instant,
      decide,
      attempt: { ...attempt, outcome, nextTryTime: null, ...answered },
    };
  }
  if (attempt.leaseHolder !== holder) return undefined;
  const wasPending = attempt.wasPending || outcome === 'pending';
  const unanswered =
    answer.outcome === 'unknown'
      ? { unansweredSince: attempt.unansweredSince ?? realNow, unansweredReason: answer.reason }
      : answered;
  const next = { wasPending, ...unanswered, nextTryTime: nextTryTime(attempt.tries, instant) };
  return { row, instant, decide: unchanged, attempt: { ...attempt, ...next } };
}

/** Only the attempt changes: it is sent again later. */
const unchanged = () => ({ kind: 'nothing' }) as const;

interface Written {
  readonly packageName: string;
  readonly settled: readonly Settled[];
  readonly author: Author;
  /**
   * In an advance, where everything has its own instant as its date: the app's time, up to which windows of the voided list
   * may have been read.
   */
  readonly advancedFrom?: number | undefined;
}

/** Voids periods that were paid after the end and appends the events of all, the last step before the commit. */
export async function appendRenewalEvents(
  transaction: Queryable,
  options: Pick<SettlingOptions, 'testing' | 'clock' | 'log' | 'onRefundDue'>,
  { packageName, settled, author, advancedFrom }: Written,
): Promise<void> {
  const voids = { settled, voidedBy: author.madeBy, clock: options.clock, advancedFrom };
  const voidedTimes = await voidPaidAfterEnd(transaction, packageName, voids);
  const events = settled.flatMap((one) => eventsOf(one, voidedTimes));
  await appendEvents(transaction, packageName, events, author);
  await appendRefunds(transaction, options, { settled, author });
  options.testing?.crashPoints('beforeCommit');
}

interface EndedRenewals<Ended extends AnsweredRenewal = AnsweredRenewal> {
  readonly packageName: string;
  readonly author: Author;
  /** In order of due time. */
  readonly ended: readonly Ended[];
}

interface Unwritten<Ended> {
  /** What can be written later: it was locked for too long, the database is unavailable, or a clock holds renewals. */
  readonly unwritten: readonly Ended[];
  readonly error?: unknown;
}

/**
 * Settles charges of the job. If something cannot be written, for example because this server does not know its time zone,
 * each is written in its own transaction, so that it blocks no other.
 */
export async function settleEnded<Ended extends AnsweredRenewal>(
  options: SettlingOptions,
  of: EndedRenewals<Ended>,
): Promise<Unwritten<Ended>> {
  let unwritten = of.ended;
  try {
    unwritten = await settleInTransaction(options, of, { skipLocked: true });
    // The second transaction waits for what is locked elsewhere.
    if (unwritten.length > 0)
      unwritten = await settleInTransaction(options, { ...of, ended: unwritten }, { skipLocked: false });
    return { unwritten };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { unwritten, error };
    if (unwritten.length === 1) return { unwritten: [], error };
  }
  const alone: Unwritten<Ended>[] = [];
  for (const one of unwritten) alone.push(await settleEnded(options, { ...of, ended: [one] }));
  return {
    unwritten: alone.flatMap((one) => one.unwritten),
    error: alone.find(({ error }) => error !== undefined)?.error,
  };
}

/** Returns those that are not written yet: they are locked, or a clock holds renewals. */
async function settleInTransaction<Ended extends AnsweredRenewal>(
  options: SettlingOptions,
  { packageName, author, ended }: EndedRenewals<Ended>,
  { skipLocked }: { readonly skipLocked: boolean },
): Promise<readonly Ended[]> {
  const keys = { packageName, firstPurchaseIds: ended.map((one) => one.firstPurchaseId) };
  const unwritten = await options.database.transaction({ packageName }, async (transaction) => {
    if (await isBeingAdvanced(transaction, options, packageName)) return [];
    const rows = skipLocked
      ? await lockFreeSubscriptions(transaction, keys)
      : await lockSubscriptions(transaction, keys);
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return ended;
    const answered = ended.map((one) => ({ ...one, instant: happensAt(options, one.instant, now) }));
    const settled = await settleRenewals(transaction, options, {
      packageName,
      answered,
      rows,
      realNow,
      author,
    });
    await appendRenewalEvents(transaction, options, { packageName, settled, author });
    const locked = new Set(rows.map((row) => row.firstPurchaseId));
    return ended.filter((one) => skipLocked && !locked.has(one.firstPurchaseId));
  });
  options.testing?.crashPoints('afterCommit');
  return unwritten;
}
