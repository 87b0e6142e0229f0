// Why a subscription is in its state.

import Type, { type Static } from 'typebox';
import { describedNameOf, PurchaseId } from './fields.ts';

const subscriptionCauses = {
  paid: 'Its newest period is paid.',
  cancelled: 'Auto-payment was cancelled.',
  awaitsConsent: 'Auto-payment is off until the customer consents.',
  noConsent: 'The customer did not consent to what the store asked for.',
  notAttempted: 'The payment is due and was not attempted yet.',
  paused: 'Renewals are paused or the app is disabled, so the due payment is not attempted.',
  declined: 'The latest attempt was declined.',
  noAnswer: 'The gateway has not given a clear response to the latest attempt.',
  overdue: 'The next period was not paid in time.',
  voided: 'Its newest period was voided.',
  cancelledUnpaid: 'Auto-payment was cancelled while a payment was outstanding.',
} as const satisfies Record<string, string>;

export const ChargeAttempt = Type.Object(
  { periodIndex: Type.Integer({ minimum: 1 }), attempt: Type.Integer({ minimum: 1 }) },
  { description: 'The attempt to charge a period that shows it.' },
);

export const SubscriptionCause = Type.Object(
  {
    kind: describedNameOf(subscriptionCauses),
    text: Type.String({ description: 'The cause in a sentence, for people.' }),
    purchaseId: Type.Optional(PurchaseId),
    attempt: Type.Optional(ChargeAttempt),
  },
  { description: 'Why the subscription is in its state, with the purchase or the attempt that shows it.' },
);
export type SubscriptionCause = Static<typeof SubscriptionCause>;
