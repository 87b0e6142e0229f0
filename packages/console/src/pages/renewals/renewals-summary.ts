// Whether renewals run, and what is due, in a sentence.

import type { Renewals } from '@opentill/client/operator';

export function renewalsSummary(renewals: Renewals): string {
  const { due, openAttempts, unresolvedAttempts, conflictAttempts } = renewals;
  const counts = `${due} due, ${openAttempts} charges without a clear response, ${unresolvedAttempts + conflictAttempts} to settle by hand.`;
  return `${stateOf(renewals)}: ${counts}`;
}

function stateOf({ paused, hold }: Renewals): string {
  if (hold !== undefined) return 'Held';
  return paused ? 'Paused' : 'Nothing is paused';
}
