// Renews what falls due while the clock of a sandbox app is advanced: begins all in one transaction, charges all outside of
// any, and settles all in another one, at their due instants.

import type { Queryable } from '../store/connection/database.ts';
import type { Author } from '../store/events/events.ts';
import type { DueRenewal } from '../store/subscriptions/due-renewals.ts';
import { lockSubscriptions } from '../store/subscriptions/renewal-attempts.ts';
import { beginRenewals } from './begin-renewals.ts';
import type { RenewalOptions } from './renewal-options.ts';
import { type EndedRenewal, sendCharge, yieldToEventLoop } from './send-charge.ts';
import { settleInAdvance } from './settle-renewals.ts';

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
  options.testing?.crashPoints('afterAttempt');
  const charged: Promise<EndedRenewal | undefined>[] = [];
  for (const one of begun) {
    charged.push(sendCharge(options, one));
    await yieldToEventLoop();
  }
  const ended = (await Promise.all(charged)).filter((one) => one !== undefined);
  return ended.length === 0 ? 0 : settleInAdvance(options, { packageName, author, ended, lease });
}
