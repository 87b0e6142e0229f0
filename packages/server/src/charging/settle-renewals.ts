// Second transaction of a renewal: checks that each attempt of locked subscriptions is still open, and writes periods,
// subscriptions, outcomes and events together (docs/decisions/subscriptions.md).

import { attemptLeaseMs, isLeased } from '../domain/clocks/leases.ts';
import { generatedPurchaseId, purchaseIdDigits } from '../domain/identifiers.ts';
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
import { happensAt } from './begin-renewals.ts';
import type { AnsweredCharge, SettledCharge } from './charges.ts';
import { appendRefunds, settleLatePaid, writeLatePaid } from './late-payments.ts';
import { attemptChanges, eventsOf, insertPaidPeriods, renewedRow, voidPaidAfterEnd } from './paid-periods.ts';
import type { SettlingOptions } from './renewal-options.ts';

/** A thousand periods a second draw from 10^8 ids, so this many draws never all hit existing ones. */
const drawsMax = 8;

/**
 * Settles answered charges, in the order given, in these phases:
 *
 * 1. reads the newest attempt of each subscription;
 * 2. decides what each answer changes, and draws a purchase id for the period that it may pay;
 * 3. inserts the paid periods; charges whose drawn id is taken go back to phase 2;
 * 4. writes the subscriptions, their open attempts, and the attempts that were paid late.
 *
 * appendRenewalEvents is the last phase, which locks the counter row: it also voids the periods that were paid after their
 * subscription ended.
 */
export async function settleRenewals(
  transaction: Queryable,
  options: SettlingOptions,
  {
    packageName,
    answered,
    rows,
    realNow,
    author,
  }: {
    readonly packageName: string;
    readonly answered: readonly AnsweredCharge[];
    /** Locked by the transaction; an answer without its row is skipped. */
    readonly rows: readonly SubscriptionRow[];
    /** The database's time, which leases are compared with. */
    readonly realNow: number;
    readonly author: Author;
  },
): Promise<readonly SettledCharge[]> {
  const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
  const newestOf = await findNewestAttempts(transaction, {
    packageName,
    firstPurchaseIds: [...rowOf.keys()],
  });
  const settledOf = new Map<string, SettledCharge>();
  let undecided = answered;
  for (let draw = 0; undecided.length > 0; draw += 1) {
    if (draw === drawsMax) throw new Error(`Each of ${drawsMax} drawn purchase ids was taken.`);
    const decided: SettledCharge[] = [];
    for (const one of undecided) {
      const row = rowOf.get(one.firstPurchaseId);
      if (row === undefined) continue;
      const newest = newestOf.get(one.firstPurchaseId);
      const settled = await settleCharge(transaction, options, one, { row, newest, realNow });
      if (settled !== undefined) decided.push(settled);
    }
    const taken = await insertPaidPeriods(transaction, packageName, { settled: decided, author });
    for (const one of decided) settledOf.set(one.row.firstPurchaseId, one);
    undecided = undecided.filter((one) => taken.has(one.firstPurchaseId));
  }
  const settled = [...settledOf.values()];
  const changed = { rows: settled.map(renewedRow), changedBy: author.madeBy };
  await updateRenewedSubscriptions(transaction, packageName, changed);
  await changeOpenAttempts(transaction, packageName, settled.flatMap(attemptChanges));
  await writeLatePaid(transaction, settled);
  return settled;
}

/** Undefined if nothing changes: another server has settled or taken over the charge. */
async function settleCharge(
  transaction: Queryable,
  options: SettlingOptions,
  { instant, charged }: AnsweredCharge,
  {
    row,
    newest,
    realNow,
  }: { readonly row: SubscriptionRow; readonly newest: AttemptRow | undefined; readonly realNow: number },
): Promise<SettledCharge | undefined> {
  if (charged === undefined) {
    if (isLeased(newest?.leaseUntil, realNow, attemptLeaseMs)) return undefined;
    return settleWithoutCharge(options, row, { instant, newest });
  }
  const { environment, holder, randomness, retries } = options;
  const { answer } = charged;
  const digits = randomness.digits(purchaseIdDigits);
  const purchaseId = generatedPurchaseId({ environment, now: instant, digits });
  if (newest?.idempotencyKey !== charged.idempotencyKey || newest.outcome !== null) {
    // A payment contradicts the outcome. The sandbox's gateway answers each try by the faults of the app, which may have
    // been reset since then.
    if (answer.outcome !== 'paid' || environment === 'sandbox') return undefined;
    const isAnotherOpen = newest?.outcome === null;
    return settleLatePaid(transaction, options, { row, charged, instant, isAnotherOpen, purchaseId });
  }
  if (answer.outcome !== 'pending' && answer.outcome !== 'unknown') {
    const { outcome } = answer;
    const by = { outcome, now: instant, purchaseId, retries };
    const settlement = decideSettlement(renewableFromRow(row), charged, by);
    return { row, instant, settlement, attempt: { ...newest, outcome, nextTryTime: null, ...answered } };
  }
  if (newest.leaseHolder !== holder) return undefined;
  const wasPending = newest.wasPending || answer.outcome === 'pending';
  const unanswered =
    answer.outcome === 'unknown'
      ? { unansweredSince: newest.unansweredSince ?? realNow, unansweredReason: answer.reason }
      : answered;
  const next = { wasPending, ...unanswered, nextTryTime: nextTryTime(newest.tries, instant) };
  return { row, instant, settlement: { kind: 'nothing' }, attempt: { ...newest, ...next } };
}

/** Undefined if the subscription changed in the meantime, for example because it was reactivated. */
function settleWithoutCharge(
  { log }: SettlingOptions,
  row: SubscriptionRow,
  { instant, newest }: { readonly instant: number; readonly newest: AttemptRow | undefined },
): SettledCharge | undefined {
  const subscription = renewableFromRow(row);
  const due = decideDueWork(subscription, { now: instant, newest });
  if (due?.kind !== 'expiry' && due?.kind !== 'unresolved') return undefined;
  const expiry = { row, instant, settlement: decideExpiry(subscription, instant) };
  if (row.openChargeTime === null || newest?.outcome !== null) return expiry;
  if (due.kind === 'unresolved') {
    logAlert(log, 'chargeUnresolved', { app: row.packageName, idempotencyKey: newest.idempotencyKey });
    return { ...expiry, attempt: { ...newest, nextTryTime: null, ...answered } };
  }
  // The gateway is asked again in a later transaction, which then finds the subscription expired.
  return { ...expiry, attempt: { ...newest, nextTryTime: nextTryTime(newest.tries, instant) } };
}

const answered: Unanswered = { unansweredSince: null, unansweredReason: null };

/** Voids periods that were paid after the end and appends the events of all, the last step before the commit. */
export async function appendRenewalEvents(
  transaction: Queryable,
  options: Pick<SettlingOptions, 'testing' | 'clock' | 'log' | 'onRefundDue'>,
  {
    packageName,
    settled,
    author,
    advancedFrom,
  }: {
    readonly packageName: string;
    readonly settled: readonly SettledCharge[];
    readonly author: Author;
    /**
     * In an advance, where everything has its own instant as its date: the app's time, up to which windows of the voided
     * list may have been read.
     */
    readonly advancedFrom?: number;
  },
): Promise<void> {
  const voids = { settled, voidedBy: author.madeBy, clock: options.clock, advancedFrom };
  const voidedTimes = await voidPaidAfterEnd(transaction, packageName, voids);
  const events = settled.flatMap((one) => eventsOf(one, voidedTimes));
  await appendEvents(transaction, packageName, events, author);
  await appendRefunds(transaction, options, { settled, author });
  options.testing?.crashPoints?.('beforeCommit');
}

interface Settling {
  readonly packageName: string;
  readonly author: Author;
  /** In order of due time. */
  readonly answered: readonly AnsweredCharge[];
}

interface Unwritten {
  /** What can be written later: it was locked for too long, the database is unavailable, or a clock holds renewals. */
  readonly unwritten: readonly AnsweredCharge[];
  readonly error?: unknown;
}

/**
 * Settles charges of the job. If something cannot be written, for example because this server does not know its time zone,
 * each is written in its own transaction, so that it blocks no other.
 */
export async function settleAnswered(options: SettlingOptions, settling: Settling): Promise<Unwritten> {
  let unwritten = settling.answered;
  try {
    unwritten = await settleInTransaction(options, settling, { skipLocked: true });
    // The second transaction waits for what is locked elsewhere.
    if (unwritten.length > 0) {
      const locked = { ...settling, answered: unwritten };
      unwritten = await settleInTransaction(options, locked, { skipLocked: false });
    }
    return { unwritten };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { unwritten, error };
    if (unwritten.length === 1) return { unwritten: [], error };
  }
  const alone: Unwritten[] = [];
  for (const one of unwritten) alone.push(await settleAnswered(options, { ...settling, answered: [one] }));
  return {
    unwritten: alone.flatMap((one) => one.unwritten),
    error: alone.find(({ error }) => error !== undefined)?.error,
  };
}

/** Returns those that are not written yet: they are locked, or a clock holds renewals. */
async function settleInTransaction(
  options: SettlingOptions,
  { packageName, author, answered }: Settling,
  { skipLocked }: { readonly skipLocked: boolean },
): Promise<readonly AnsweredCharge[]> {
  const keys = { packageName, firstPurchaseIds: answered.map((one) => one.firstPurchaseId) };
  const unwritten = await options.database.transaction({ packageName }, async (transaction) => {
    if (await isBeingAdvanced(transaction, options, packageName)) return [];
    const rows = skipLocked
      ? await lockFreeSubscriptions(transaction, keys)
      : await lockSubscriptions(transaction, keys);
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return answered;
    const dated = answered.map((one) => ({ ...one, instant: happensAt(options, one.instant, now) }));
    const given = { packageName, answered: dated, rows, realNow, author };
    const settled = await settleRenewals(transaction, options, given);
    await appendRenewalEvents(transaction, options, { packageName, settled, author });
    const locked = new Set(rows.map((row) => row.firstPurchaseId));
    return answered.filter((one) => skipLocked && !locked.has(one.firstPurchaseId));
  });
  options.testing?.crashPoints?.('afterCommit');
  return unwritten;
}
