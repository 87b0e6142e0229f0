// Whether renewals run and what is due, in a sentence; and the buttons that pause and resume those of all apps, or of one.

import type { Renewals } from '@opentill/client/operator';
import { client } from '../api/client.ts';
import { ChangeButton } from '../parts/change-button.tsx';
import { counted, numberText } from '../values/quantity-text.ts';

interface OfRenewals {
  readonly renewals: Renewals;
}

export function renewalsSummary(renewals: Renewals): string {
  const { due, openAttempts, unresolvedAttempts } = renewals;
  const open = counted(openAttempts, 'charge');
  const byHand = numberText(unresolvedAttempts);
  return `${stateOf(renewals)}: ${numberText(due)} due, ${open} without a clear response, ${byHand} to settle by hand.`;
}

/** An app may be paused while there is no pause of all apps. */
function stateOf({ packageName, paused, hold }: Renewals): string {
  if (hold !== undefined) return 'Stopped';
  if (paused) return 'Paused';
  return packageName === undefined ? 'Not paused store-wide' : 'Not paused';
}

export function RenewalsSwitch({ renewals }: OfRenewals) {
  const { packageName, pauses, hold } = renewals;
  const isOfStore = packageName === undefined;
  const isPaused = pauses.some(({ scope }) => scope === (isOfStore ? 'store' : 'app'));
  const all = isOfStore ? 'all ' : '';
  const target = isOfStore ? 'all apps' : 'the app';
  const id = packageName ?? 'all apps';
  return (
    <>
      <ChangeButton
        operation="pauseRenewals"
        label={`Pause ${all}renewals`}
        isOffered={!isPaused}
        title={`Pause the renewals of ${target}`}
        confirmLabel={`Pause the renewals of ${id}`}
        asks="reason"
        effects={[
          'No charge begins or is retried, and no subscription expires, until they are resumed.',
          'Subscribers keep what they have paid for. Answers to charges in flight are still recorded.',
        ]}
        change={(_values, reason) => client.pauseRenewals({ packageName, ...reason })}
      />
      <ChangeButton
        operation="resumeRenewals"
        label={`Resume ${all}renewals`}
        variant="filled"
        isOffered={isPaused || (isOfStore && hold !== undefined)}
        title={`Resume the renewals of ${target}`}
        confirmLabel={`Resume the renewals of ${id}`}
        asks="reason"
        effects={resumeEffects(renewals)}
        change={(_values, reason) => client.resumeRenewals({ packageName, ...reason })}
      />
    </>
  );
}

function resumeEffects({ packageName, due, wouldCharge, wouldExpire, hold }: Renewals): string[] {
  return [
    `Charges begin again for ${counted(due, 'due subscription')}: ${numberText(wouldCharge)} would be charged, and ${numberText(wouldExpire)} would expire because it is too late for a charge.`,
    ...(hold === undefined ? [] : ['The present time of the database is confirmed, which ends the hold.']),
    ...(packageName === undefined ? ['The pause of a single app does not end.'] : []),
  ];
}
