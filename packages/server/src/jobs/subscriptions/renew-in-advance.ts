// Renews what falls due while the clock of a sandbox app is advanced: begins all in one transaction, charges all outside of
// any, and settles all in another one, at their due instants.

import type { AdvancedRenewals, RenewInAdvance } from '../../operations/sandbox/advanced-renewals.ts';
import { lockSubscriptions } from '../../store/subscriptions/renewal-attempts.ts';
import { beginRenewals } from './begin-renewals.ts';
import type { RenewalOptions } from './renewal-options.ts';
import { type EndedRenewal, sendCharge, yieldToEventLoop } from './send-charge.ts';
import { settleInAdvance } from './settle-renewals.ts';

export function renewInAdvance(options: RenewalOptions): RenewInAdvance {
  return async ({ packageName, author, due, lease }: AdvancedRenewals) => {
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
  };
}
