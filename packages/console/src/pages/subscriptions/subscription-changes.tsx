// The dialogs that change a subscription: cancel, reactivate, and settle a charge.

import { NativeSelect } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Attempt, Subscription } from '@opentill/client/operator';
import { client } from '../../api/client.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { useInstantText } from '../../parts/instant.tsx';

interface ChangeProps {
  readonly subscription: Subscription;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** After a success or an error, to read the stored record. */
  readonly onSettled: () => void;
}

function keyOf({ packageName, firstPurchaseId }: Subscription) {
  return { packageName, firstPurchaseId };
}

export function CancelDialog({ subscription, isOpen, onClose, onSettled }: ChangeProps) {
  const instantText = useInstantText();
  const { firstPurchaseId, expiryTime, state } = subscription;
  const effects =
    state === 'payment_outstanding'
      ? [
          'The subscription ends at once, because a payment is outstanding. If a charge is in flight and succeeds, its month still starts, and no other follows.',
          'The developer gets an event.',
        ]
      : [
          `Access lasts until ${instantText(expiryTime)}. No further month is charged.`,
          'Until then it can be reactivated. The developer gets an event.',
        ];
  return (
    <ChangeDialog
      title="Cancel auto-payment"
      confirmLabel={`Cancel ${firstPurchaseId}`}
      isDestructive
      isOpen={isOpen}
      asks="reason"
      effects={effects}
      change={(reason) => client.cancelSubscription({ ...keyOf(subscription), ...reason })}
      onDone={() => {
        onClose();
        onSettled();
      }}
      onError={onSettled}
      onClose={onClose}
    />
  );
}

export function ReactivateDialog({ subscription, isOpen, onClose, onSettled }: ChangeProps) {
  const instantText = useInstantText();
  const { firstPurchaseId, expiryTime } = subscription;
  return (
    <ChangeDialog
      title="Reactivate auto-payment"
      confirmLabel={`Reactivate ${firstPurchaseId}`}
      isOpen={isOpen}
      asks="reason"
      effects={[
        `The next month is charged on ${instantText(expiryTime)}.`,
        'The reason and the time of the cancel are removed from the record. The developer gets an event.',
      ]}
      change={(reason) => client.reactivateSubscription({ ...keyOf(subscription), ...reason })}
      onDone={() => {
        onClose();
        onSettled();
      }}
      onError={onSettled}
      onClose={onClose}
    />
  );
}

const outcomes: Readonly<Record<NonNullable<Attempt['outcome']>, string>> = {
  paid: 'paid: the provider took the money',
  declined: 'declined: another attempt may follow',
  declined_final: 'declined for good: no attempt follows',
};

interface SettleProps extends Omit<ChangeProps, 'subscription'> {
  readonly attempt: Attempt;
}

export function SettleDialog({ attempt, isOpen, onClose, onSettled }: SettleProps) {
  const form = useForm({ initialValues: { outcome: 'declined' as keyof typeof outcomes } });
  const { packageName, firstPurchaseId, idempotencyKey } = attempt;
  const periodIndex = String(attempt.periodIndex);
  const number = String(attempt.attempt);
  return (
    <ChangeDialog
      title={`Settle attempt ${number} for month ${attempt.periodIndex + 1}`}
      confirmLabel={`Settle ${idempotencyKey}`}
      isDestructive
      isOpen={isOpen}
      asks="reason"
      effects={[
        'Find out first what the payment provider did with this idempotency key. The effect is that of the same response of the gateway.',
        'If it was paid, the month starts, or is recorded and voided if the subscription has ended.',
        'The note is required: it says how the outcome is known.',
      ]}
      change={({ note = '', ...reason }) =>
        client.settleAttempt({
          packageName,
          firstPurchaseId,
          periodIndex,
          attempt: number,
          outcome: form.values.outcome,
          note,
          ...reason,
        })
      }
      onDone={() => {
        onClose();
        onSettled();
      }}
      onError={onSettled}
      onClose={onClose}
      form={form}
    >
      <NativeSelect
        label="Outcome"
        name="outcome"
        data={Object.entries(outcomes).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('outcome')}
      />
    </ChangeDialog>
  );
}
