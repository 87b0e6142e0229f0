// Converts the row of an attempt to charge a period for the operator API.

import { Attempt } from '@opentill/contract/renewals.ts';
import type { ListedAttempt } from '../../store/subscriptions/attempt-lists.ts';
import { shown } from '../shown.ts';

export function attemptResponse(row: ListedAttempt): Attempt {
  return shown(Attempt, { ...row, state: stateOf(row) });
}

function stateOf({ outcome, nextTryTime, refundDueTime }: ListedAttempt): Attempt['state'] {
  if (refundDueTime !== null) return 'refundDue';
  if (outcome !== null) return 'settled';
  return nextTryTime === null ? 'unresolved' : 'open';
}
