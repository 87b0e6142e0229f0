// Whether renewals run, and what is due, in a sentence.

import type { Renewals } from '@opentill/client/operator';

export function renewalsSummary(renewals: Renewals): string {
  const { due, openAttempts, unresolvedAttempts, conflictAttempts } = renewals;
  const counts = `${due} due, ${openAttempts} charges without a clear response, ${unresolvedAttempts + conflictAttempts} to settle by hand.`;
  return `${stateOf(renewals)}: ${counts}`;
}

/** An app may be paused while there is no pause of all apps. */
function stateOf({ packageName, paused, hold }: Renewals): string {
  if (hold !== undefined) return 'Stopped';
  if (paused) return 'Paused';
  return packageName === undefined ? 'There is no pause of all apps' : 'Nothing is paused';
}
