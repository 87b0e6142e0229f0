// The dialogs that change a subscription: cancel or reactivate, and settle a charge.

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

export type AutoPaymentAct = 'cancel' | 'reactivate';

interface AutoPaymentProps extends ChangeProps {
  readonly act: AutoPaymentAct;
}

export function AutoPaymentDialog({ act, subscription, isOpen, onClose, onSettled }: AutoPaymentProps) {
  const instantText = useInstantText();
  const { packageName, firstPurchaseId } = subscription;
  const key = { packageName, firstPurchaseId };
  const isCancel = act === 'cancel';
  return (
    <ChangeDialog
      title={isCancel ? 'Cancel auto-payment' : 'Reactivate auto-payment'}
      confirmLabel={`${isCancel ? 'Cancel' : 'Reactivate'} ${firstPurchaseId}`}
      isDestructive={isCancel}
      isOpen={isOpen}
      asks="reason"
      effects={effectsOf(act, subscription.state, instantText(subscription.expiryTime))}
      change={(reason) =>
        isCancel
          ? client.cancelSubscription({ ...key, ...reason })
          : client.reactivateSubscription({ ...key, ...reason })
      }
      onDone={() => {
        onClose();
        onSettled();
      }}
      onError={onSettled}
      onClose={onClose}
    />
  );
}

function effectsOf(act: AutoPaymentAct, state: Subscription['state'], expiry: string): readonly string[] {
  if (act === 'reactivate') {
    return [
      `The next month is charged on ${expiry}.`,
      'The reason and the time of the cancel are removed from the record. The developer gets an event.',
    ];
  }
  if (state === 'payment_outstanding') {
    return [
      'The subscription ends at once, because a payment is outstanding. If a charge is in flight and succeeds, its month still starts, and no other follows.',
      'The developer gets an event.',
    ];
  }
  return [
    `Access lasts until ${expiry}. No further month is charged.`,
    'Until then it can be reactivated. The developer gets an event.',
  ];
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
