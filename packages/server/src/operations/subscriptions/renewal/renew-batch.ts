// Renews a batch of due subscriptions of one app as their charges are answered: one transaction records the attempts,
// others write the answers that have come in (docs/decisions/renewals.md).

import { attemptLeaseMs, isLeased } from '../../../domain/clocks/leases.ts';
import { appNow, isAdvancing } from '../../../domain/sandbox/app-clock.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../../store/connection/database-failure.ts';
import type { Author } from '../../../store/events/events.ts';
import { lockAppClockShared } from '../../../store/sandbox/app-clocks.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import { findNewestAttempts, lockDueSubscriptions } from '../../../store/subscriptions/renewal-attempts.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import { type BegunRenewal, beginRenewals } from './begin-renewals.ts';
import type { RenewalParts } from './renewal-parts.ts';
import { type AnsweredRenewal, appendRenewalEvents, settleRenewals } from './settle-renewals.ts';
import type { TransactionQueue } from './transaction-queue.ts';

export interface RenewalBatch {
  readonly packageName: string;
  readonly author: Author;
  /** Aborts charges in flight: they stay open. */
  readonly charging: AbortSignal;
}

/**
 * Nothing may begin or be settled now: a clock may be wrong, or the app is being advanced, which renews everything in its
 * own order. What is open stays open.
 */
export class RenewalsAreHeld extends Error {}

/** Records attempts for the items that are due and neither locked nor leased by another server. */
export function beginBatch(
  parts: RenewalParts,
  { packageName, author }: RenewalBatch,
  due: readonly DueRenewal[],
): Promise<BegunRenewal[]> {
  return parts.database.transaction({ packageName, record: 'begin renewals' }, async (transaction) => {
    // Before all waits: whatever they take is missing from the lease.
    const realNow = parts.clock.now();
    const now = await lockNow(transaction, parts, packageName);
    const firstPurchaseIds = due.map((item) => item.firstPurchaseId);
    const keys = { packageName, firstPurchaseIds };
    const locked = await lockDueSubscriptions(transaction, keys, { skipLocked: true });
    const newest = await findNewestAttempts(transaction, keys);
    const rows = locked.filter(
      (row) => !isLeased(newest.get(row.firstPurchaseId)?.leaseUntil, realNow, attemptLeaseMs),
    );
    const items = due.map((item) => ({ ...item, instant: happensAt(parts, { at: item.dueTime, now }) }));
    return beginRenewals(transaction, parts, { packageName, author, realNow, items, rows, newest });
  });
}

const notSentInTime = 'a charge was not sent in time, and is retried when its lease ends';

interface Finishing {
  readonly begun: readonly BegunRenewal[];
  readonly transactions: TransactionQueue;
  readonly onAnswer: (answer: ChargeAnswer) => void;
  readonly onNotSent: () => void;
}

/**
 * Charges and settles what has begun: answers that come in while a transaction waits in the queue share it. What could
 * not be sent in time or not be settled stays open with its key, and is due again when its lease ends.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function finishBatch(
  parts: RenewalParts,
  batch: RenewalBatch,
  { begun, transactions, onAnswer, onNotSent }: Finishing,
): Promise<void> {
  const failures: unknown[] = [];
  const settlings: Promise<void>[] = [];
  let answered: AnsweredRenewal[] = [];
  const settleAnswered = async (): Promise<void> => {
    const skipped = await transactions.run('settle', () => {
      const taken = answered;
      answered = [];
      return settleTogether(parts, batch, taken);
    });
    await settleApart(parts, batch, skipped);
  };
  const add = (one: AnsweredRenewal): void => {
    if (answered.push(one) > 1) return;
    settlings.push(settleAnswered().catch((error: unknown) => void failures.push(error)));
  };
  const charges: Promise<void>[] = [];
  for (const one of begun) {
    if (one.kind === 'noCharge') add(one);
    else if (parts.clock.now() > one.sendableUntil) {
      // A suspended or overloaded server decided this too long ago: the window may be over, or the buyer may have left.
      parts.log.warn({ app: batch.packageName, idempotencyKey: one.charge.idempotencyKey }, notSentInTime);
      onNotSent();
    } else {
      const charging = parts.gateway.charge(one.charge, batch.charging).then((answer) => {
        onAnswer(answer);
        parts.crashPoints('afterCharge');
        add({ ...one, answer });
      });
      charges.push(charging);
      await yieldToEventLoop();
    }
  }
  await Promise.all(charges);
  await Promise.all(settlings);
  if (failures.length > 0) throw failures[0];
}

/** Lets calls that came in since then go before the next charge. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Returns what has to be settled apart, so that it does not delay the others of its app: subscriptions that are locked,
 * or all of them if one cannot be written, for example because this server does not know its time zone.
 */
async function settleTogether(
  parts: RenewalParts,
  batch: RenewalBatch,
  answered: readonly AnsweredRenewal[],
): Promise<readonly AnsweredRenewal[]> {
  try {
    return await settle(parts, batch, { answered, skipLocked: true });
  } catch (error) {
    if (error instanceof DatabaseUnavailable || error instanceof RenewalsAreHeld) throw error;
    return answered;
  }
}

/** Settles each in its own transaction, which waits for the lock of its row and so does not use the queue. */
async function settleApart(
  parts: RenewalParts,
  batch: RenewalBatch,
  answered: readonly AnsweredRenewal[],
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of answered) {
    try {
      await settle(parts, batch, { answered: [one], skipLocked: false });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Returns the answers that were skipped because their subscriptions are locked. */
async function settle(
  parts: RenewalParts,
  { packageName, author }: RenewalBatch,
  { answered, skipLocked }: { readonly answered: readonly AnsweredRenewal[]; readonly skipLocked: boolean },
): Promise<readonly AnsweredRenewal[]> {
  const firstPurchaseIds = answered.map((one) => one.firstPurchaseId);
  const record = answered.length === 1 ? (firstPurchaseIds[0] ?? '') : 'settle renewals';
  const skipped = await parts.database.transaction({ packageName, record }, async (transaction) => {
    const now = await lockNow(transaction, parts, packageName);
    const keys = { packageName, firstPurchaseIds };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked });
    const answers = answered.map((one) => ({ ...one, instant: happensAt(parts, { at: one.instant, now }) }));
    const given = { packageName, answered: answers, rows, author };
    const { settled } = await settleRenewals(transaction, parts, given);
    await appendRenewalEvents(transaction, parts, { packageName, settled, now, author });
    const locked = new Set(rows.map((row) => row.firstPurchaseId));
    return answered.filter((one) => !locked.has(one.firstPurchaseId));
  });
  parts.crashPoints('afterCommit');
  return skipped;
}

/** In the sandbox what a stopped server missed happens when it was due, as in an advance. */
function happensAt(
  { environment }: RenewalParts,
  { at, now }: { readonly at: number; readonly now: number },
): number {
  return environment === 'sandbox' ? Math.min(at, now) : now;
}

/** The app's instant, which does not change until the transaction ends: in the sandbox its clock is locked. */
export async function lockNow(
  transaction: Queryable,
  { clock, clocks, environment }: Pick<RenewalParts, 'clock' | 'clocks' | 'environment'>,
  packageName: string,
): Promise<number> {
  const appClock = environment === 'sandbox' ? await lockAppClockShared(transaction, packageName) : undefined;
  const realNow = clock.now();
  if (isAdvancing(appClock, realNow) || (await clocks.renewalHold(realNow, transaction))) {
    throw new RenewalsAreHeld();
  }
  return appNow(appClock, realNow);
}
