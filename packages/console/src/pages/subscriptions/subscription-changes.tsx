// The changes of a subscription: cancel or reactivate, extend, and settle a charge.

import type { Attempt, Subscription } from '@opentill/client/operator';
import { extensionDaysMax } from '@opentill/contract/limits.ts';
import { client } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Choice, Field, type Values } from '../../parts/change-fields.tsx';
import { useInstantText } from '../../parts/instant.tsx';
import { monthsAndDaysOf } from '../../parts/period.ts';
import { useTimeZone } from '../../parts/preferences.ts';
import { instantOfMinute, later, minuteText } from '../../parts/wall-time.ts';
import { dayMs } from '../../runtime/durations.ts';

interface OfSubscription {
  readonly subscription: Subscription;
}

export function AutoPaymentButtons({ subscription }: OfSubscription) {
  const instantText = useInstantText();
  const { packageName, firstPurchaseId, state, autoRenewing } = subscription;
  const key = { packageName, firstPurchaseId };
  const expiry = instantText(subscription.expiryTime);
  return (
    <>
      <ChangeButton
        operation="reactivateSubscription"
        label="Reactivate"
        hotkey="c"
        isOffered={state === 'auto_payment_off'}
        title="Reactivate auto-payment"
        confirmLabel={`Reactivate ${firstPurchaseId}`}
        asks="reason"
        effects={[
          `The next month is charged on ${expiry}.`,
          'The reason and the time of the cancel are removed from the record. The developer gets an event.',
        ]}
        change={(_values, reason) => client.reactivateSubscription({ ...key, ...reason })}
      />
      <ChangeButton
        operation="cancelSubscription"
        label="Cancel"
        hotkey="c"
        isOffered={state !== 'auto_payment_off'}
        disabled={!autoRenewing}
        isDestructive={state === 'payment_outstanding'}
        title="Cancel auto-payment"
        confirmLabel={`Cancel ${firstPurchaseId}`}
        asks="reason"
        effects={
          state === 'payment_outstanding'
            ? outstandingEffects
            : [
                `Access lasts until ${expiry}. No further month is charged.`,
                'Until then it can be reactivated. The developer gets an event.',
              ]
        }
        change={(_values, reason) => client.cancelSubscription({ ...key, ...reason })}
      />
    </>
  );
}

const outstandingEffects = [
  'The subscription ends at once, because a payment is outstanding. If a charge is in flight and succeeds, its month still starts, and no other follows.',
  'The developer gets an event.',
];

export function ExtendButton({ subscription }: OfSubscription) {
  const instantText = useInstantText();
  const shownZone = useTimeZone();
  const { packageName, firstPurchaseId, state, period, expiryTime, autoRenewing, timeZone, now } =
    subscription;
  const latest = now + extensionDaysMax * dayMs;
  const hasOpenCharge = subscription.attempts.some(({ outcome }) => outcome === undefined);
  const newEndOf = ({ end = '' }: Values): number | undefined => {
    const time = instantOfMinute(end, shownZone) ?? 0;
    return time > expiryTime && time <= latest ? time : undefined;
  };
  const effectsOf = (newEnd: number | undefined): string[] => {
    if (newEnd === undefined)
      return [`Choose an end after ${instantText(expiryTime)} and by ${instantText(latest)}.`];
    const payments = [0, 1, 2].map((count) =>
      instantText(later(newEnd, monthsAndDaysOf(period, count), timeZone)),
    );
    return [
      `Access lasts until ${instantText(newEnd)}. The added time costs nothing. The developer gets an event.`,
      autoRenewing
        ? `The next three payments are due on ${payments.join('; ')}.`
        : 'No payment follows, because auto-payment is off.',
    ];
  };
  return (
    <ChangeButton
      operation="extendSubscription"
      label="Extend"
      isOffered={(state === 'active' || state === 'auto_payment_off') && !hasOpenCharge}
      title="Extend the paid time"
      confirmLabel={`Extend ${firstPurchaseId}`}
      asks="reason"
      effects={(values) => effectsOf(newEndOf(values))}
      initialValues={{ end: minuteText(expiryTime, shownZone) }}
      isBlocked={(values) => newEndOf(values) === undefined}
      change={(values, reason) =>
        client.extendSubscription({
          ...{ packageName, firstPurchaseId, expiryTime: newEndOf(values) ?? expiryTime },
          ...reason,
        })
      }
    >
      <Field
        name="end"
        type="datetime-local"
        label="New end"
        description={`In the time zone ${shownZone ?? 'of the browser'}, at most ${extensionDaysMax} days ahead.`}
        required
        data-autofocus
      />
    </ChangeButton>
  );
}

type Outcome = NonNullable<Attempt['outcome']>;

const outcomes: Readonly<Record<Outcome, string>> = {
  paid: 'paid: the provider took the money',
  declined: 'declined: another attempt may follow',
  declined_final: 'declined for good: no attempt follows',
};

export function SettleButton({ attempt }: { readonly attempt: Attempt }) {
  const { idempotencyKey } = attempt;
  const number = String(attempt.attempt);
  return (
    <ChangeButton
      operation="settleAttempt"
      label="Settle"
      size="compact-xs"
      title={`Settle attempt ${number} for month ${attempt.periodIndex + 1}`}
      confirmLabel={`Settle ${idempotencyKey}`}
      isDestructive
      asks="reason"
      effects={[
        'Find out first what the payment provider did with this idempotency key. The effect is that of the same response of the gateway.',
        'If it was paid, the month starts, or is recorded and voided if the subscription has ended.',
        'The note is required: it says how the outcome is known.',
      ]}
      initialValues={{ outcome: 'declined' }}
      change={({ outcome }, { note = '', ...reason }) =>
        client.settleAttempt({ ...keyOf(attempt), outcome: outcome as Outcome, note, ...reason })
      }
    >
      <Choice name="outcome" label="Outcome" choices={outcomes} />
    </ChangeButton>
  );
}

export function AcknowledgeButton({ attempt }: { readonly attempt: Attempt }) {
  const { idempotencyKey, outcome = 'declined' } = attempt;
  return (
    <ChangeButton
      operation="settleAttempt"
      label="Acknowledge"
      size="compact-xs"
      title="Acknowledge that the money has to go back"
      confirmLabel={`Acknowledge ${idempotencyKey}`}
      asks="reason"
      effects={[
        'Refund the charge with this idempotency key at the payment provider first.',
        'It needs no attention any more. Nothing else changes.',
        'The note is required: it says how the money went back.',
      ]}
      change={(_values, { note = '', ...reason }) =>
        client.settleAttempt({ ...keyOf(attempt), outcome, note, ...reason })
      }
    />
  );
}

function keyOf({ packageName, firstPurchaseId, periodIndex, attempt }: Attempt) {
  return { packageName, firstPurchaseId, periodIndex: String(periodIndex), attempt: String(attempt) };
}
