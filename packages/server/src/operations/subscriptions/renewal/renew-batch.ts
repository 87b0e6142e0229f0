// Renews a batch of due subscriptions of one app as their charges are answered: one transaction records the attempts,
// others write the answers that have come in (docs/decisions/subscriptions.md).

import type PQueue from 'p-queue';
import { attemptLeaseMs, isLeased } from '../../../domain/clocks/leases.ts';
import { isAdvancing } from '../../../domain/sandbox/app-clock.ts';
import type { Queryable } from '../../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../../store/connection/database-failure.ts';
import type { Author } from '../../../store/events/events.ts';
import { lockAppClockShared } from '../../../store/sandbox/app-clocks.ts';
import type { DueRenewal } from '../../../store/subscriptions/due-renewals.ts';
import { findNewestAttempts, lockDueSubscriptions } from '../../../store/subscriptions/renewal-attempts.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import { type BegunRenewal, beginRenewals } from './begin-renewals.ts';
import type { RenewalOptions } from './renewal-options.ts';
import { type AnsweredRenewal, appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

export interface RenewalBatch {
  readonly packageName: string;
  readonly author: Author;
  /** Aborts charges in flight: they stay open. */
  readonly charging: AbortSignal;
}

/** Records attempts for the items that are due and neither locked nor leased by another server; none while held. */
export function beginBatch(
  options: RenewalOptions,
  { packageName, author }: RenewalBatch,
  due: readonly DueRenewal[],
): Promise<BegunRenewal[]> {
  return options.database.transaction({ packageName, record: 'begin renewals' }, async (transaction) => {
    if (await isBeingAdvanced(transaction, options, packageName)) return [];
    const firstPurchaseIds = due.map((item) => item.firstPurchaseId);
    const keys = { packageName, firstPurchaseIds };
    const locked = await lockDueSubscriptions(transaction, keys, { skipLocked: true });
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return [];
    const newest = await findNewestAttempts(transaction, keys);
    const rows = locked.filter(
      (row) => !isLeased(newest.get(row.firstPurchaseId)?.leaseUntil, realNow, attemptLeaseMs),
    );
    const items = due.map((item) => ({ ...item, instant: happensAt(options, { at: item.dueTime, now }) }));
    return beginRenewals(transaction, options, { packageName, author, realNow, items, rows, newest });
  });
}

const notSentInTime = 'a charge was not sent in time, and is retried when its lease ends';

/** What is paid is written before new charges begin. */
const settlePriority = 1;

interface Finishing {
  readonly begun: readonly BegunRenewal[];
  readonly transactions: PQueue;
  readonly onAnswer: (answer: ChargeAnswer) => void;
  readonly onNotSent: () => void;
}

/**
 * Charges and settles what has begun: answers that come in while a transaction waits in the queue share it. What could
 * not be sent in time or not be settled stays open with its key, and is due again when its lease ends.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function finishBatch(
  options: RenewalOptions,
  batch: RenewalBatch,
  { begun, transactions, onAnswer, onNotSent }: Finishing,
): Promise<void> {
  const failures: unknown[] = [];
  const settlings: Promise<void>[] = [];
  let answered: AnsweredRenewal[] = [];
  const settleAnswered = async (): Promise<void> => {
    const settle = () => {
      const taken = answered;
      answered = [];
      return settleTogether(options, batch, taken);
    };
    const skipped = await transactions.add(settle, { priority: settlePriority });
    await settleApart(options, batch, skipped);
  };
  const add = (one: AnsweredRenewal): void => {
    if (answered.push(one) > 1) return;
    settlings.push(settleAnswered().catch((error: unknown) => void failures.push(error)));
  };
  const charges: Promise<void>[] = [];
  for (const one of begun) {
    if (one.kind === 'noCharge') add(one);
    else if (options.clock.now() > one.sendableUntil) {
      // A suspended or overloaded server decided this too long ago: the window may be over, or the buyer may have left.
      options.log.warn({ app: batch.packageName, idempotencyKey: one.charge.idempotencyKey }, notSentInTime);
      onNotSent();
    } else {
      const charging = options.gateway.charge(one.charge, batch.charging).then((answer) => {
        onAnswer(answer);
        options.testing?.crashPoints('afterCharge');
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
  options: RenewalOptions,
  batch: RenewalBatch,
  answered: readonly AnsweredRenewal[],
): Promise<readonly AnsweredRenewal[]> {
  try {
    return await settle(options, batch, { answered, skipLocked: true });
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    return answered;
  }
}

/** Settles each in its own transaction, which waits for the lock of its row and so does not use the queue. */
async function settleApart(
  options: RenewalOptions,
  batch: RenewalBatch,
  answered: readonly AnsweredRenewal[],
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of answered) {
    try {
      await settle(options, batch, { answered: [one], skipLocked: false });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Returns the answers that were skipped because their subscriptions are locked; while held, all stay open. */
async function settle(
  options: RenewalOptions,
  { packageName, author }: RenewalBatch,
  { answered, skipLocked }: { readonly answered: readonly AnsweredRenewal[]; readonly skipLocked: boolean },
): Promise<readonly AnsweredRenewal[]> {
  const firstPurchaseIds = answered.map((one) => one.firstPurchaseId);
  const record = answered.length === 1 ? (firstPurchaseIds[0] ?? '') : 'settle renewals';
  const skipped = await options.database.transaction({ packageName, record }, async (transaction) => {
    if (await isBeingAdvanced(transaction, options, packageName)) return [];
    const keys = { packageName, firstPurchaseIds };
    const rows = await lockDueSubscriptions(transaction, keys, { skipLocked });
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return [];
    const answers = answered.map((one) => ({
      ...one,
      instant: happensAt(options, { at: one.instant, now }),
    }));
    const given = { packageName, answered: answers, rows, realNow, author };
    const { settled } = await settleRenewals(transaction, options, given);
    await appendRenewalEvents(transaction, options, { packageName, settled, author });
    const locked = new Set(rows.map((row) => row.firstPurchaseId));
    return answered.filter((one) => !locked.has(one.firstPurchaseId));
  });
  options.testing?.crashPoints('afterCommit');
  return skipped;
}

/** In the sandbox what a stopped server missed happens when it was due, as in an advance. */
function happensAt(
  { environment }: RenewalOptions,
  { at, now }: { readonly at: number; readonly now: number },
): number {
  return environment === 'sandbox' ? Math.min(at, now) : now;
}

/**
 * Whether an advance of the app renews everything in its order. In the sandbox it also locks the app's clock, which then
 * does not move until the transaction ends; the first lock of a transaction.
 */
export async function isBeingAdvanced(
  transaction: Queryable,
  { clock, environment }: Pick<RenewalOptions, 'clock' | 'environment'>,
  packageName: string,
): Promise<boolean> {
  if (environment === 'production') return false;
  const appClock = await lockAppClockShared(transaction, packageName);
  if (appClock === undefined || appClock.leaseUntil === null) return false;
  return isAdvancing(appClock, (await clock.read(transaction, packageName)).realNow);
}
