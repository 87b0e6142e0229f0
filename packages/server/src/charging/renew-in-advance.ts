// Renews what falls due while the clock of a sandbox app is advanced: begins all in one transaction, charges all outside of
// any, and settles all in another one, at their due instants.

import { type Queryable, RolledBack } from '../store/connection/database.ts';
import type { Author } from '../store/events/events.ts';
import type { DueRenewal } from '../store/subscriptions/due-renewals.ts';
import { lockSubscriptions } from '../store/subscriptions/subscription-locks.ts';
import { beginRenewals } from './begin-renewals.ts';
import type { AnsweredCharge } from './charges.ts';
import type { RenewalOptions } from './renewal-options.ts';
import { sendCharge, yieldToEventLoop } from './send-charge.ts';
import { appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

export interface AdvancedRenewals {
  readonly packageName: string;
  readonly author: Author;
  /** What can happen together, in order of due time. */
  readonly due: readonly DueRenewal[];
  /** The lease of the app's clock; `move` returns false if it is lost. */
  readonly lease: {
    readonly now: number;
    move(transaction: Queryable, appTime: number): Promise<boolean>;
  };
}

/** Returns how many were renewed, expired or postponed; nothing is written if the lease is lost. */
export async function renewInAdvance(
  options: RenewalOptions,
  { packageName, author, due, lease }: AdvancedRenewals,
): Promise<number | 'leaseLost'> {
  const begun = await beginRenewals(options, {
    packageName,
    author,
    isAdvance: true,
    async lock(transaction) {
      const firstPurchaseIds = due.map((item) => item.firstPurchaseId);
      const rows = await lockSubscriptions(transaction, { packageName, firstPurchaseIds });
      const rowOf = new Map(rows.map((row) => [row.firstPurchaseId, row]));
      return due.flatMap(({ firstPurchaseId, dueTime }) => {
        const row = rowOf.get(firstPurchaseId);
        return row === undefined ? [] : [{ ...row, dueTime }];
      });
    },
  });
  options.testing?.crashPoints?.('afterAttempt');
  const sent: Promise<AnsweredCharge | undefined>[] = [];
  for (const charge of begun) {
    sent.push(sendCharge(options, charge));
    await yieldToEventLoop();
  }
  const answered = (await Promise.all(sent)).filter((one) => one !== undefined);
  return answered.length === 0 ? 0 : settleInAdvance(options, answered, { packageName, author, lease });
}

/** Settles charges of an advance, in order of due time and each at its due instant, and moves the clock with them; returns how many were written. */
async function settleInAdvance(
  options: RenewalOptions,
  answered: readonly AnsweredCharge[],
  { packageName, author, lease }: Omit<AdvancedRenewals, 'due'>,
): Promise<number | 'leaseLost'> {
  const keys = { packageName, firstPurchaseIds: answered.map((one) => one.firstPurchaseId) };
  const written = await options.database.transaction({ packageName }, async (transaction) => {
    const rows = await lockSubscriptions(transaction, keys);
    const { now, realNow, hold } = await options.clock.read(transaction, packageName);
    if (hold !== undefined) return 0;
    const given = { packageName, answered, rows, realNow, author };
    const settled = await settleRenewals(transaction, options, given);
    const latest = Math.max(lease.now, ...settled.map(({ instant }) => instant));
    if (settled.length > 0 && !(await lease.move(transaction, latest)))
      return new RolledBack('leaseLost' as const);
    await appendRenewalEvents(transaction, options, { packageName, settled, author, advancedFrom: now });
    return settled.length;
  });
  if (written !== 'leaseLost') options.testing?.crashPoints?.('afterCommit');
  return written;
}
