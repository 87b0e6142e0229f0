// Why a subscription is in its state.

import Type, { type Static } from 'typebox';
import { oneNameOf, PurchaseId } from './fields.ts';

const subscriptionCauses = {
  paid: 'its newest month is paid',
  cancelled: 'auto-payment was cancelled',
  notAttempted: 'the payment is due and was not attempted yet',
  paused: 'renewals are paused or the app is disabled, so the due payment is not attempted',
  declined: 'the latest attempt was declined',
  noAnswer: 'the gateway has not given a clear response to the latest attempt',
  overdue: 'the next month was not paid in time',
  voided: 'its newest month was voided',
  cancelledUnpaid: 'auto-payment was cancelled while a payment was outstanding',
} as const satisfies Record<string, string>;

export const SubscriptionCause = Type.Object(
  {
    kind: oneNameOf(subscriptionCauses, {
      description: `${Object.entries(subscriptionCauses)
        .map(([name, text]) => `${name}: ${text}`)
        .join('; ')}.`,
    }),
    text: Type.String({ description: 'The cause in a sentence, for people.' }),
    purchaseId: Type.Optional(PurchaseId),
    attempt: Type.Optional(
      Type.Object(
        { periodIndex: Type.Integer({ minimum: 1 }), attempt: Type.Integer({ minimum: 1 }) },
        { description: 'The attempt to charge a month that shows it.' },
      ),
    ),
  },
  { description: 'Why the subscription is in its state, with the purchase or the attempt that shows it.' },
);
export type SubscriptionCause = Static<typeof SubscriptionCause>;
