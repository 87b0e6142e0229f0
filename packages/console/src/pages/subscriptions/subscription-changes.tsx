// The changes of a subscription: cancel or reactivate, extend, and settle a charge.

import type { Attempt, Subscription } from '@opentill/client/operator';
import { extensionDaysMax } from '@opentill/contract/limits.ts';
import { client } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { AmountField, Choice, Field, Segments, type Values } from '../../parts/change-fields.tsx';
import { useTimeZone } from '../../parts/preferences.ts';
import { productName } from '../../parts/sold.tsx';
import { dayMs } from '../../runtime/durations.ts';
import { dateText, instantOfDate } from '../../values/date-text.ts';
import { useInstantText } from '../../values/instant.tsx';
import { useMoneyText, usePriceUnit } from '../../values/money.tsx';
import { priceInput, typedPrice } from '../../values/money-text.ts';
import { monthsAndDaysOf, periodNames } from '../../values/period.ts';
import { later, minuteText } from '../../values/wall-time.ts';

interface OfSubscription {
  readonly subscription: Subscription;
}

export function AutoPaymentButtons({ subscription }: OfSubscription) {
  const instantText = useInstantText();
  const { packageName, firstPurchaseId, state, autoRenewing, awaitsConsent, isErased = false } = subscription;
  const key = { packageName, firstPurchaseId };
  const expiry = instantText(subscription.expiryTime);
  return (
    <>
      <ChangeButton
        operation="reactivateSubscription"
        label="Reactivate"
        hotkey="c"
        isOffered={state === 'autoPaymentOff' && !isErased}
        title="Reactivate auto-payment"
        confirmLabel={`Reactivate ${productName(subscription)}`}
        asks="reason"
        effects={[
          `The next period is charged on ${expiry}.`,
          'The reason and the time of the cancel are removed from the record. The developer gets an event.',
          ...(awaitsConsent ? ['The customer has consented to what the store asked for.'] : []),
        ]}
        change={(_values, reason) =>
          client.reactivateSubscription({
            ...{ ...key, ...reason },
            ...(awaitsConsent && { consent: 'given' }),
          })
        }
      />
      <ChangeButton
        operation="cancelSubscription"
        label="Cancel"
        {...(!awaitsConsent && { hotkey: 'c' })}
        isOffered={state !== 'autoPaymentOff' || awaitsConsent}
        obstacle={autoRenewing || awaitsConsent ? undefined : hasEnded}
        isDestructive={state === 'paymentOutstanding'}
        title="Cancel auto-payment"
        confirmLabel={`Cancel ${productName(subscription)}`}
        asks="reason"
        effects={
          state === 'paymentOutstanding'
            ? outstandingEffects
            : [
                `Access lasts until ${expiry}. No further period is charged.`,
                ...(awaitsConsent
                  ? ['The customer does not consent: only the store can reactivate it.']
                  : []),
                `${isErased ? '' : 'Until then it can be reactivated. '}The developer gets an event.`,
              ]
        }
        change={(_values, reason) => client.cancelSubscription({ ...key, ...reason })}
      />
    </>
  );
}

const outstandingEffects = [
  'The subscription ends at once, because a payment is outstanding. If a charge is in flight and succeeds, its period still starts, and no other follows.',
  'The developer gets an event.',
];

const extensions = {
  '3d': { label: '+3 days', days: 3, months: 0 },
  '1w': { label: '+1 week', days: 7, months: 0 },
  '1m': { label: '+1 month', days: 0, months: 1 },
} as const;

const extensionChoices = {
  ...Object.fromEntries(Object.entries(extensions).map(([name, { label }]) => [name, label])),
  until: 'until',
};

/** Why the paid time cannot be extended at present. */
function extensionObstacle({ state, attempts }: Subscription): string | undefined {
  if (state === 'paymentOutstanding') return 'A payment is outstanding';
  if (state === 'expired' || state === 'terminated') return hasEnded;
  return attempts.some(({ outcome }) => outcome === undefined) ? 'A charge is in flight' : undefined;
}

const hasEnded = 'It has ended';

export function ExtendButton({ subscription }: OfSubscription) {
  const instantText = useInstantText();
  const shownZone = useTimeZone();
  const { packageName, firstPurchaseId, period, expiryTime, autoRenewing, timeZone } = subscription;
  const latest = expiryTime + extensionDaysMax * dayMs;
  const newEndOf = ({ by = '', end = '' }: Values): number | undefined => {
    const chosen = extensions[by as keyof typeof extensions];
    const time =
      chosen === undefined ? (instantOfDate(end, shownZone) ?? 0) : later(expiryTime, chosen, timeZone);
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
      obstacle={extensionObstacle(subscription)}
      title="Extend the paid time"
      confirmLabel={`Extend ${productName(subscription)}`}
      asks="reason"
      effects={(values) => effectsOf(newEndOf(values))}
      initialValues={{ by: '3d', end: dateText(minuteText(expiryTime, shownZone)) }}
      isBlocked={(values) => newEndOf(values) === undefined}
      change={(values, reason) =>
        client.extendSubscription({
          ...{ packageName, firstPurchaseId, expiryTime: newEndOf(values) ?? expiryTime },
          ...reason,
        })
      }
    >
      <Segments
        name="by"
        label="By how much"
        choices={extensionChoices}
        fields={{
          until: (
            <Field
              name="end"
              label="New end"
              description={`A date, in the time zone ${shownZone ?? 'of the browser'}, at most ${extensionDaysMax} days after the current end.`}
              required
            />
          ),
        }}
      />
    </ChangeButton>
  );
}

const consentChoices = {
  no: 'the customer is not asked',
  awaited: 'auto-payment is off until the customer consents',
};

export function PriceButton({ subscription }: OfSubscription) {
  const unit = usePriceUnit();
  const money = useMoneyText();
  const instantText = useInstantText();
  const { packageName, firstPurchaseId, renewalPrice, currency, period, expiryTime } = subscription;
  const priceOf = ({ price = '' }: Values) => typedPrice(price.trim(), currency, unit);
  const effectsOf = (values: Values): string[] => {
    const price = priceOf(values);
    if (price === undefined || price === renewalPrice) return ['Choose another price.'];
    const terms = `${money({ price, currency })} ${periodNames[period]}`;
    return [
      `${terms} from ${instantText(expiryTime)} on. Paid periods keep their price. The developer gets an event.`,
      ...(values['consent'] === 'awaited'
        ? ['Without consent by then, the subscription ends. The backend of the app cannot reactivate it.']
        : []),
    ];
  };
  return (
    <ChangeButton
      operation="changeRenewalPrice"
      label="Price"
      obstacle={extensionObstacle(subscription)}
      title="Change the renewal price"
      confirmLabel={`Change the price of ${productName(subscription)}`}
      asks="reason"
      effects={effectsOf}
      initialValues={{ price: priceInput({ price: renewalPrice, currency }, unit), consent: 'no' }}
      isBlocked={(values) => [undefined, renewalPrice].includes(priceOf(values))}
      change={(values, reason) =>
        client.changeRenewalPrice({
          ...{ packageName, firstPurchaseId, price: priceOf(values) ?? renewalPrice },
          ...(values['consent'] === 'awaited' && { consent: 'awaited' }),
          ...reason,
        })
      }
    >
      <AmountField name="price" label="Price of each later period" currency={currency} />
      <Choice name="consent" label="Consent" choices={consentChoices} />
    </ChangeButton>
  );
}

type Outcome = NonNullable<Attempt['outcome']>;

const outcomes: Readonly<Record<Outcome, string>> = {
  paid: 'paid: the provider took the money',
  declined: 'declined: another attempt may follow',
  declinedFinal: 'declined for good: no attempt follows',
};

interface OfAttempt extends OfSubscription {
  readonly attempt: Attempt;
}

export function SettleButton({ attempt, subscription }: OfAttempt) {
  const number = String(attempt.attempt);
  return (
    <ChangeButton
      operation="settleAttempt"
      label="Settle"
      size="compact-xs"
      title={`Settle attempt ${number} for period ${attempt.periodIndex + 1}`}
      confirmLabel={`Settle attempt ${number} of ${productName(subscription)}`}
      isDestructive
      asks="reason"
      effects={[
        'Find out first what the payment provider did with this idempotency key. The effect is that of the same response of the gateway.',
        'If it was paid, the period starts, or is recorded and voided if the subscription has ended.',
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

export function AcknowledgeButton({ attempt, subscription }: OfAttempt) {
  const { idempotencyKey, outcome = 'declined' } = attempt;
  return (
    <ChangeButton
      operation="settleAttempt"
      label="Acknowledge"
      size="compact-xs"
      title="Acknowledge that the money has to go back"
      confirmLabel={`Acknowledge the refund of ${productName(subscription)}`}
      asks="reason"
      effects={[
        `Refund the charge with the idempotency key ${idempotencyKey} at the payment provider first.`,
        'It needs no attention any more. Nothing else changes.',
        'The note is required: it says how the money went back.',
      ]}
      change={(_values, { note = '', ...reason }) =>
        client.settleAttempt({ ...keyOf(attempt), outcome, acknowledgeRefund: true, note, ...reason })
      }
    />
  );
}

function keyOf({ packageName, firstPurchaseId, periodIndex, attempt }: Attempt) {
  return { packageName, firstPurchaseId, periodIndex: String(periodIndex), attempt: String(attempt) };
}
