// Converts the row of an attempt to charge a month for the operator API.

import type { Attempt } from '@opentill/contract/renewals.ts';
import type { ListedAttempt } from '../../store/subscriptions/attempt-lists.ts';

export function attemptResponse(row: ListedAttempt): Attempt {
  const { nextTryTime, outcome, settledTime, purchaseId, conflictTime } = row;
  return {
    packageName: row.packageName,
    firstPurchaseId: row.firstPurchaseId,
    periodIndex: row.periodIndex,
    attempt: row.attempt,
    state: stateOf(row),
    idempotencyKey: row.idempotencyKey,
    dueTime: row.dueTime,
    begunTime: row.begunTime,
    tries: row.tries,
    wasPending: row.wasPending,
    ...(nextTryTime !== null && { nextTryTime }),
    ...(outcome !== null && { outcome }),
    ...(settledTime !== null && { settledTime }),
    ...(purchaseId !== null && { purchaseId }),
    ...(conflictTime !== null && { conflictTime }),
  };
}

function stateOf({ outcome, nextTryTime, conflictTime }: ListedAttempt): Attempt['state'] {
  if (conflictTime !== null) return 'conflict';
  if (outcome !== null) return 'settled';
  return nextTryTime === null ? 'unresolved' : 'open';
}
