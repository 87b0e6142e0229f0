// Whether renewals run, and what is due, in a sentence.

import type { Renewals } from '@opentill/client/operator';
import { counted, numberText } from '../../parts/count-text.ts';

export function renewalsSummary(renewals: Renewals): string {
  const { due, openAttempts, unresolvedAttempts, conflictAttempts } = renewals;
  const open = counted(openAttempts, 'charge');
  const byHand = numberText(unresolvedAttempts + conflictAttempts);
  return `${stateOf(renewals)}: ${numberText(due)} due, ${open} without a clear response, ${byHand} to settle by hand.`;
}

/** An app may be paused while there is no pause of all apps. */
function stateOf({ packageName, paused, hold }: Renewals): string {
  if (hold !== undefined) return 'Stopped';
  if (paused) return 'Paused';
  return packageName === undefined ? 'Not paused as a whole' : 'Not paused';
}
