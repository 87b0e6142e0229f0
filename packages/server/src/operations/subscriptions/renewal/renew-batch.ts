// Renews a batch of due subscriptions of one app: begins all in one transaction, charges all outside of any, and settles
// all in another one (docs/architecture.md). The renewal job and the advance of a sandbox clock both call it.

import { batchOf } from '../../../domain/subscriptions/renewal.ts';
import { RolledBack } from '../../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../../store/connection/database-failure.ts';
import { type DueRenewal, listDueRenewalsOfApp } from '../../../store/subscriptions/due-renewals.ts';
import { lockDueSubscriptions } from '../../../store/subscriptions/renewal-attempts.ts';
import type { ChargeAnswer } from '../gateways/payment-gateway.ts';
import {
  type BegunRenewal,
  beginBatch,
  happensAt,
  isBeingAdvanced,
  type RenewalBatch,
} from './begin-renewals.ts';
import type { RenewalOptions } from './renewal-options.ts';
import { type AnsweredRenewal, appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

/** Items of a batch of the job, and so the charges that an app has in flight on one server. */
export const batchMax = 64;

/** An answer with when the first of the latest tries without one failed, before it, in real time. */
export type CountedAnswer = ChargeAnswer & Pick<BegunRenewal, 'unansweredSince'>;

interface RenewedBatch {
  /** How many of the items were still due, and not locked or leased elsewhere. */
  readonly begun: number;
  readonly answers: readonly CountedAnswer[];
  /** How many of the items an advance has renewed, expired or postponed; nothing if the lease of the clock is lost. */
  readonly written: number | 'leaseLost';
}

/** What the job takes next of an app: due and unleased, oldest first; in the sandbox what can happen together. */
export async function takeDue(
  { database, environment, clock }: RenewalOptions,
  { packageName, now: until }: { readonly packageName: string; readonly now: number },
): Promise<readonly DueRenewal[]> {
  const of = { packageName, until, unleasedAt: clock.now(), limit: batchMax };
  const due = await listDueRenewalsOfApp(database, of);
  return environment === 'sandbox' ? batchOf(due, { isPaid: false }) : due;
}

/**
 * What could not be sent in time or not be written stays open with its key, and is due again when its lease ends.
 * @throws DatabaseUnavailable when not everything could be written.
 */
export async function renewBatch(options: RenewalOptions, batch: RenewalBatch): Promise<RenewedBatch> {
  const begun = await beginBatch(options, batch);
  options.testing?.crashPoints('afterAttempt');
  const answered = await chargeBatch(options, batch, begun);
  const written = answered.length === 0 ? 0 : await settleBatch(options, batch, answered);
  const answers = answered.flatMap(({ charged, unansweredSince }) =>
    charged === undefined ? [] : [{ ...charged.answer, unansweredSince }],
  );
  return { begun: begun.length, answers, written };
}

const notSentInTime = 'a charge was not sent in time, and is retried when its lease ends';

type AnsweredCharge = AnsweredRenewal & Pick<BegunRenewal, 'unansweredSince'>;

/** Returns what has an answer or needs none, in the order in which it began. */
async function chargeBatch(
  { gateway, clock, log, testing }: RenewalOptions,
  { packageName, charging }: RenewalBatch,
  begun: readonly BegunRenewal[],
): Promise<AnsweredCharge[]> {
  const send = async (one: BegunRenewal): Promise<AnsweredCharge[]> => {
    const { charge, sendableUntil } = one;
    if (charge === undefined) return [{ ...one, charged: undefined }];
    if (clock.now() > sendableUntil) {
      // A suspended or overloaded server decided this too long ago: the window may be over, or the buyer may have left.
      log.warn({ app: packageName, idempotencyKey: charge.idempotencyKey }, notSentInTime);
      return [];
    }
    const answer = await gateway.charge(charge, charging);
    testing?.crashPoints('afterCharge');
    return [{ ...one, charged: { charge, answer } }];
  };
  const answered: Promise<AnsweredCharge[]>[] = [];
  for (const one of begun) {
    answered.push(send(one));
    await yieldToEventLoop();
  }
  return (await Promise.all(answered)).flat();
}

/** Lets calls that came in since then go before the next charge. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * If something cannot be written, for example because this server does not know its time zone, each is written in its own
 * transaction, so that it blocks no other. An advance stops there instead.
 */
async function settleBatch(
  options: RenewalOptions,
  batch: RenewalBatch,
  answered: readonly AnsweredRenewal[],
): Promise<number | 'leaseLost'> {
  const isJob = batch.clock === undefined;
  try {
    return await settle(options, batch, { answered, skipLocked: isJob });
  } catch (error) {
    if (!isJob || answered.length === 1 || error instanceof DatabaseUnavailable) throw error;
  }
  const failures: unknown[] = [];
  for (const one of answered) {
    await settle(options, batch, { answered: [one], skipLocked: false }).catch((error: unknown) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
  return answered.length;
}

interface Settling {
  readonly answered: readonly AnsweredRenewal[];
  /** What is locked elsewhere is written in a second transaction, which waits for it. */
  readonly skipLocked: boolean;
}

/** Returns how many were written at once. */
async function settle(
  options: RenewalOptions,
  batch: RenewalBatch,
  { answered, skipLocked }: Settling,
): Promise<number | 'leaseLost'> {
  const { packageName, author, clock } = batch;
  const isJob = clock === undefined;
  const firstPurchaseIds = answered.map((one) => one.firstPurchaseId);
  const written = await options.database.transaction({ packageName }, async (transaction) => {
    const nothing = { count: 0, skipped: [] };
    if (isJob && (await isBeingAdvanced(transaction, options, packageName))) return nothing;
    const rows = await lockDueSubscriptions(transaction, { packageName, firstPurchaseIds }, { skipLocked });
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return nothing;
    const dated = answered.map((one) => ({
      ...one,
      instant: happensAt(options, one.instant, { now, isJob }),
    }));
    const given = { packageName, answered: dated, rows, realNow, author };
    const settled = await settleRenewals(transaction, options, given);
    const latest = Math.max(clock?.now ?? 0, ...settled.map(({ instant }) => instant));
    if (settled.length > 0 && (await clock?.move(transaction, latest)) === false)
      return new RolledBack('leaseLost' as const);
    const advancedFrom = clock && now;
    await appendRenewalEvents(transaction, options, { packageName, settled, author, advancedFrom });
    const locked = new Set(rows.map((row) => row.firstPurchaseId));
    const skipped = answered.filter((one) => skipLocked && !locked.has(one.firstPurchaseId));
    return { count: settled.length, skipped };
  });
  if (written === 'leaseLost') return written;
  options.testing?.crashPoints('afterCommit');
  if (written.skipped.length > 0)
    await settle(options, batch, { answered: written.skipped, skipLocked: false });
  return written.count;
}
