// Settles an attempt whose outcome an operator knows, with the effect of the same answer of the gateway.

import type { SettleByHand } from '../../operations/subscriptions/settleAttempt.ts';
import type { SettlingOptions } from './renewal-options.ts';
import { appendRenewalEvents, settleRenewals } from './settle-renewals.ts';

export function settleByHand(options: SettlingOptions): SettleByHand {
  return async (transaction, { row, attempt, outcome, now, realNow, author }) => {
    const { packageName, firstPurchaseId } = attempt;
    const charged = { charge: attempt, answer: { outcome } };
    const settled = await settleRenewals(transaction, options, {
      packageName,
      answered: [{ firstPurchaseId, instant: now, charged }],
      rows: [row],
      realNow,
      author,
    });
    await appendRenewalEvents(transaction, options, { packageName, settled, author });
  };
}
