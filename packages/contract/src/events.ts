// The events that the feed lists and webhooks deliver, one for each change of a purchase or subscription. The record
// of an event has the same fields as a response of the purchase API.

import Type, { type Static, type TProperties } from 'typebox';
import { ofKind } from './field-kinds.ts';
import {
  Currency,
  describedNameOf,
  Environment,
  oneNameOf,
  PackageName,
  Price,
  ProductId,
  PurchaseId,
  RefundAmount,
  Timestamp,
} from './fields.ts';
import { chargeRetriesMax } from './limits.ts';
import { patternText } from './patterns.ts';
import { PurchaseDetails, RecurringPurchaseDetails } from './resources.ts';

/** The event types with their descriptions. */
export const eventTypes = {
  'purchase.completed':
    'A one-time purchase was recorded, or a period was paid after its subscription had ended.',
  'purchase.consumed': 'A purchase was consumed.',
  'purchase.voided': 'A purchase or a period of a subscription was voided and refunded.',
  'subscription.started': 'The first period of a subscription was recorded.',
  'subscription.renewed': 'The next period was paid. purchaseId identifies the purchase of that period.',
  'subscription.payment_failed':
    'A payment was declined. Unless it was the last attempt, another one follows at nextPaymentTime of the record.',
  'subscription.auto_payment_cancelled':
    'Auto-payment was cancelled, or is off until the customer consents. Access lasts until the end of the paid period.',
  'subscription.auto_payment_reactivated': 'Auto-payment was reactivated.',
  'subscription.renewal_price_changed': 'The price of each later period was changed.',
  'subscription.extended':
    'The paid period ends later, without a payment. With auto-payment on, the next payment is due at its new end.',
  'subscription.expired': 'The paid period ended and no further payment is due.',
  'subscription.terminated':
    'The subscription ended immediately, by a void or a cancel. It follows subscription.expired if the newest period of an ended subscription is voided: count the end of a subscription once.',
  test: 'A test event that was requested with testWebhook.',
} as const satisfies Record<string, string>;

export const EventType = oneNameOf(eventTypes);
export type EventType = Static<typeof EventType>;

export const ExpiryReason = oneNameOf(
  { cancelled: true, declined: true, overdue: true, consent: true },
  {
    description:
      'Why the subscription expired. cancelled: auto-payment had been cancelled. declined: the last charge was declined. overdue: the next period was not paid in time. consent: the store asked the customer for consent and got none.',
  },
);
export type ExpiryReason = Static<typeof ExpiryReason>;

/** Why a purchase was voided. */
const voidCauses = {
  customerRequest: 'The customer asked for it.',
  duplicate: 'The purchase was made twice.',
  fraud: 'The purchase was fraudulent.',
  chargeback: 'The payment was charged back.',
  defect: 'The product or the store did not work.',
  other: 'Another reason.',
  system: 'A period was paid after its subscription or the period itself had ended.',
} as const satisfies Record<string, string>;

export const VoidCause = describedNameOf(voidCauses);
export type VoidCause = Static<typeof VoidCause>;

/** What an event says about consent: the store asks for it by a cancel, and a reactivation follows it. */
export const EventConsent = oneNameOf({ awaited: true, given: true });
export type EventConsent = Static<typeof EventConsent>;

/** Digits of the largest order, which JSON can represent exactly. */
export const eventOrderDigitsMax = 15;

/** Characters of the checksum in an event id, in base64url. */
export const eventCheckLength = 16;

const eventIdPattern = `^evt_(?:0|[1-9][0-9]{0,${eventOrderDigitsMax - 1}})_[A-Za-z0-9_-]{${eventCheckLength}}$`;

export const EventId = patternText(eventIdPattern, 'the id of an event, such as evt_12_uLFZSQKhDUQ8Dyoy', {
  description:
    'Identifies the event across all environments: a repeated id means the same event. It can be used as a cursor.',
  examples: ['evt_12_uLFZSQKhDUQ8Dyoy'],
});

export const EventOrder = Type.Integer({
  minimum: 1,
  description:
    'The position among the events of the app: 1, 2, 3 and so on. The latest event of a purchase has its current state.',
});

function event<const Name extends EventType, Fields extends TProperties>(
  type: Name,
  $id: string,
  fields: Fields,
) {
  return Type.Object(
    {
      id: EventId,
      type: Type.Literal(type),
      order: EventOrder,
      eventTime: Type.Integer({
        ...Timestamp,
        description: "When the event happened by the app's clock, in ms.",
      }),
      environment: Environment,
      packageName: PackageName,
      ...fields,
    },
    { $id, description: eventTypes[type] },
  );
}

/** The events of a sale, and of the void that takes it back. */
const money = {
  purchaseTime: Type.Integer({
    ...Timestamp,
    description: 'When the purchase or the period was sold, in ms.',
  }),
  price: Price,
  currency: Currency,
};

const recordOf = 'What the purchase API returned for purchaseId right after the change.';

const purchase = {
  purchaseId: PurchaseId,
  productId: ProductId,
  record: PurchaseDetails,
};

const paidPeriod = {
  purchaseId: PurchaseId,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  record: RecurringPurchaseDetails,
};

const soldPeriod = {
  purchaseId: PurchaseId,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  ...money,
  record: RecurringPurchaseDetails,
};

const purchaseOrPeriod = {
  purchaseId: PurchaseId,
  firstPurchaseId: Type.Optional(PurchaseId),
  productId: ProductId,
  ...money,
  record: Type.Union([PurchaseDetails, RecurringPurchaseDetails], {
    description: `${recordOf} If firstPurchaseId is present, it describes a period of a subscription.`,
  }),
};

/** The author of a change for developers, who do not see the names of operator keys. */
export const PublicAuthor = Type.Union([Type.Literal('app'), Type.Literal('store')], {
  ...ofKind('author'),
  description:
    'Who made the change: app for a call with an access token of the app, store for the store or its customer.',
});
export type PublicAuthor = Static<typeof PublicAuthor>;

const changedPeriod = { ...paidPeriod, madeBy: PublicAuthor };

export const PurchaseCompleted = event('purchase.completed', 'PurchaseCompleted', purchaseOrPeriod);
export const PurchaseConsumed = event('purchase.consumed', 'PurchaseConsumed', purchase);
export const PurchaseVoided = event('purchase.voided', 'PurchaseVoided', {
  ...purchaseOrPeriod,
  refundAmount: RefundAmount,
  voidCause: Type.Optional(VoidCause),
});
export const SubscriptionStarted = event('subscription.started', 'SubscriptionStarted', {
  ...soldPeriod,
  renewalPrice: Type.Integer({
    ...Price,
    description: 'The price of each later period; price is that of the first, 0 in a trial.',
  }),
});
export const SubscriptionRenewed = event('subscription.renewed', 'SubscriptionRenewed', soldPeriod);
export const SubscriptionPaymentFailed = event('subscription.payment_failed', 'SubscriptionPaymentFailed', {
  purchaseId: PurchaseId,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  attempt: Type.Integer({
    minimum: 1,
    maximum: 1 + chargeRetriesMax,
    description: 'The number of the declined attempt to charge the next period.',
  }),
  isLastAttempt: Type.Boolean({ description: 'Whether no other attempt follows.' }),
  record: RecurringPurchaseDetails,
});
export const SubscriptionAutoPaymentCancelled = event(
  'subscription.auto_payment_cancelled',
  'SubscriptionAutoPaymentCancelled',
  {
    ...changedPeriod,
    consent: Type.Optional(
      Type.Literal('awaited', {
        description: 'The store asks its customer for consent: only the store reactivates auto-payment.',
      }),
    ),
  },
);
export const SubscriptionAutoPaymentReactivated = event(
  'subscription.auto_payment_reactivated',
  'SubscriptionAutoPaymentReactivated',
  {
    ...changedPeriod,
    consent: Type.Optional(
      Type.Literal('given', { description: 'The customer consented to what the store asked for.' }),
    ),
  },
);
export const SubscriptionRenewalPriceChanged = event(
  'subscription.renewal_price_changed',
  'SubscriptionRenewalPriceChanged',
  {
    purchaseId: PurchaseId,
    firstPurchaseId: PurchaseId,
    productId: ProductId,
    currency: Currency,
    previousRenewalPrice: Type.Integer({ ...Price, description: 'The renewalPrice before.' }),
    renewalPrice: Type.Integer({ ...Price, description: 'The price of each period after the present one.' }),
    record: RecurringPurchaseDetails,
    madeBy: changedPeriod.madeBy,
  },
);
export const SubscriptionExtended = event('subscription.extended', 'SubscriptionExtended', {
  purchaseId: PurchaseId,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  previousExpiryTime: Type.Integer({
    ...Timestamp,
    description: 'When the period ended before, in ms; its new end is in the record.',
  }),
  record: RecurringPurchaseDetails,
  madeBy: changedPeriod.madeBy,
});
export const SubscriptionExpired = event('subscription.expired', 'SubscriptionExpired', {
  purchaseId: PurchaseId,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  expiryReason: ExpiryReason,
  record: RecurringPurchaseDetails,
});
export const SubscriptionTerminated = event(
  'subscription.terminated',
  'SubscriptionTerminated',
  changedPeriod,
);
export const TestEvent = event('test', 'TestEvent', {});

/** One schema for each type, in the order of `eventTypes`. */
export const eventSchemas = [
  PurchaseCompleted,
  PurchaseConsumed,
  PurchaseVoided,
  SubscriptionStarted,
  SubscriptionRenewed,
  SubscriptionPaymentFailed,
  SubscriptionAutoPaymentCancelled,
  SubscriptionAutoPaymentReactivated,
  SubscriptionRenewalPriceChanged,
  SubscriptionExtended,
  SubscriptionExpired,
  SubscriptionTerminated,
  TestEvent,
] as const;

export const Event = Type.Union([...eventSchemas], {
  $id: 'Event',
  description: 'A change of a purchase or subscription, identified by its type.',
});
export type Event = Static<typeof Event>;
