// Pauses and resumes the renewals of all apps, or of one.

import { useDisclosure } from '@mantine/hooks';
import type { Renewals } from '@opentill/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { counted, numberText } from '../../parts/count-text.ts';

export function RenewalsSwitch({ renewals }: { readonly renewals: Renewals }) {
  const { packageName, pauses, hold } = renewals;
  const [isPausing, pause] = useDisclosure();
  const [isResuming, resume] = useDisclosure();
  const own = packageName === undefined ? 'store' : 'app';
  const isPaused = pauses.some(({ scope }) => scope === own);
  const mayResume = isPaused || (packageName === undefined && hold !== undefined);
  const queryClient = useQueryClient();
  const dialog = (close: () => void) => ({
    asks: 'reason' as const,
    onClose: close,
    onDone: () => {
      close();
      void queryClient.invalidateQueries({ queryKey: ['renewals'] });
    },
  });
  const target = packageName ?? 'all apps';
  const all = packageName === undefined ? 'all ' : '';
  return (
    <>
      {!isPaused && (
        <ActionButton
          operation="pauseRenewals"
          label={`Pause ${all}renewals`}
          variant="default"
          onAct={pause.open}
        />
      )}
      {mayResume && (
        <ActionButton operation="resumeRenewals" label={`Resume ${all}renewals`} onAct={resume.open} />
      )}
      <ChangeDialog
        {...dialog(pause.close)}
        title={packageName === undefined ? 'Pause the renewals of all apps' : 'Pause the renewals of the app'}
        confirmLabel={`Pause the renewals of ${target}`}
        isOpen={isPausing}
        effects={[
          'No charge begins or is retried, and no subscription expires, until they are resumed.',
          'Subscribers keep what they have paid for. Answers to charges in flight are still recorded.',
        ]}
        change={(reason) => client.pauseRenewals({ packageName, ...reason })}
      />
      <ChangeDialog
        {...dialog(resume.close)}
        title={
          packageName === undefined ? 'Resume the renewals of all apps' : 'Resume the renewals of the app'
        }
        confirmLabel={`Resume the renewals of ${target}`}
        isOpen={isResuming}
        effects={resumeEffects(renewals)}
        change={(reason) => client.resumeRenewals({ packageName, ...reason })}
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
