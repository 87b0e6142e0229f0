// Whether renewals run, and what is due, in a sentence.

import type { Renewals } from '@opentill/client/operator';

/** `isAppPaused`: at least one app is paused individually. */
export function renewalsSummary(renewals: Renewals, isAppPaused = false): string {
  const { due, openAttempts, unresolvedAttempts, conflictAttempts } = renewals;
  const counts = `${due} due, ${openAttempts} charges without a clear response, ${unresolvedAttempts + conflictAttempts} to settle by hand.`;
  return `${stateOf(renewals, isAppPaused)}: ${counts}`;
}

function stateOf({ paused, hold }: Renewals, isAppPaused: boolean): string {
  if (hold !== undefined) return 'Held';
  if (paused) return 'Paused';
  return isAppPaused ? 'Some apps are paused' : 'Nothing is paused';
}
