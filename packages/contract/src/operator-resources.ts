// The resources of the operator API and the developer API. Times are in ms; a field that does not apply is absent.

import Type, { type Static } from 'typebox';
import { reasonFields } from './actions.ts';
import { EventConsent, EventId, EventOrder, EventType, ExpiryReason } from './events.ts';
import {
  AppName,
  BuyerId,
  ClientId,
  ConsumptionState,
  Currency,
  DeveloperPayload,
  OrderId,
  PackageName,
  Price,
  ProductId,
  ProductTitle,
  ProductType,
  PurchaseId,
  PurchaseState,
  RefundAmount,
  Timestamp,
  VoidReason,
} from './fields.ts';
import { FirstPeriodLength, Period } from './periods.ts';
import { Attempt } from './renewals.ts';
import { ChargeAttempt, SubscriptionCause } from './subscription-causes.ts';
import { DeliveryFailure, DeliveryState } from './webhooks.ts';

export const App = Type.Object(
  {
    packageName: PackageName,
    name: Type.Optional(AppName),
    clientId: ClientId,
    disabled: Type.Boolean({
      description: 'A disabled app cannot request tokens, and its existing tokens are rejected.',
    }),
    disabledAt: Type.Optional(Timestamp),
    createdAt: Timestamp,
  },
  { $id: 'App' },
);
export type App = Static<typeof App>;

const clientSecret = Type.String({
  description: 'Returned only in this response; the server stores its hash.',
});

export const NewApp = Type.Object(
  {
    packageName: PackageName,
    name: Type.Optional(AppName),
    clientId: ClientId,
    clientSecret,
    createdAt: Timestamp,
  },
  { $id: 'NewApp' },
);
export type NewApp = Static<typeof NewApp>;

export const ClientCredentials = Type.Object(
  { clientId: ClientId, clientSecret },
  { $id: 'ClientCredentials' },
);
export type ClientCredentials = Static<typeof ClientCredentials>;

export const Product = Type.Object(
  {
    packageName: PackageName,
    productId: ProductId,
    type: ProductType,
    period: Type.Optional(Period),
    title: Type.Optional(ProductTitle),
    price: Price,
    currency: Currency,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Product' },
);
export type Product = Static<typeof Product>;

export const author = (meaning: string) =>
  Type.String({ description: `${meaning}: operator:<key name>, app or job:<name>.` });

export const imported = Type.Literal(true, {
  description: 'It was imported: its authors are those of the file.',
});

const purchaseFields = {
  packageName: PackageName,
  purchaseId: PurchaseId,
  productId: ProductId,
  type: ProductType,
  orderId: Type.Optional(OrderId),
  buyerId: Type.Optional(BuyerId),
  purchaseTime: Timestamp,
  developerPayload: DeveloperPayload,
  price: Price,
  currency: Currency,
  consumptionState: ConsumptionState,
  purchaseState: PurchaseState,
  consumedTime: Type.Optional(Timestamp),
  voidedTime: Type.Optional(Timestamp),
  voidReason: Type.Optional(VoidReason),
  refundAmount: Type.Optional(RefundAmount),
  firstPurchaseId: Type.Optional(PurchaseId),
  periodIndex: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The index of the period in its subscription, from 0.' }),
  ),
  startTime: Type.Optional(Timestamp),
  expiryTime: Type.Optional(Timestamp),
  recordedBy: Type.Optional(author('Who recorded the purchase')),
  consumedBy: Type.Optional(author('Who consumed it; absent for the app')),
  voidedBy: Type.Optional(author('Who voided it')),
  isImported: Type.Optional(imported),
};

export const Purchase = Type.Object(purchaseFields, {
  $id: 'Purchase',
  description:
    'The whole record. firstPurchaseId, periodIndex, startTime and expiryTime are present only for a period of a subscription.',
});
export type Purchase = Static<typeof Purchase>;

export const SubscriptionState = Type.Union(
  [
    Type.Literal('active'),
    Type.Literal('autoPaymentOff'),
    Type.Literal('paymentOutstanding'),
    Type.Literal('expired'),
    Type.Literal('terminated'),
  ],
  {
    description:
      'active: renews at nextPaymentTime. autoPaymentOff: lasts until expiryTime and can be reactivated until then. paymentOutstanding: expiryTime has passed and the payment is being retried. expired: ended at the end of its paid period. terminated: ended immediately, by a void or by a cancellation while a payment was outstanding.',
  },
);

/** Periods in the response for a subscription: a century of months. */
export const subscriptionPeriodsMax = 1200;

/** Attempts, and events, in the response for a subscription: those of some years. */
export const subscriptionEntriesMax = 500;

const { purchaseId, price, purchaseState, voidedTime, voidReason, refundAmount } = purchaseFields;

export const PaidPeriod = Type.Object({
  purchaseId,
  periodIndex: Type.Integer({ minimum: 0 }),
  startTime: Timestamp,
  expiryTime: Timestamp,
  price,
  purchaseState,
  voidedTime,
  voidReason,
  refundAmount,
  isImported: Type.Optional(imported),
});
export type PaidPeriod = Static<typeof PaidPeriod>;

const subscriptionFields = {
  packageName: PackageName,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  buyerId: Type.Optional(BuyerId),
  state: SubscriptionState,
  startTime: Timestamp,
  expiryTime: Timestamp,
  nextPaymentTime: Type.Optional(Timestamp),
  autoRenewing: Type.Boolean(),
  cancelReason: Type.Optional(VoidReason),
  cancelledTime: Type.Optional(Timestamp),
  terminatedTime: Type.Optional(Timestamp),
  awaitsConsent: Type.Boolean({
    description:
      'Whether auto-payment is off until the customer consents: only the store reactivates it, and without consent the subscription expires.',
  }),
  autoPaymentChangedBy: Type.Optional(author('Who switched auto-payment on or off last')),
  timeZone: Type.String({
    description: 'The time zone whose calendar defines the periods of the subscription.',
  }),
  period: Period,
  firstPeriod: Type.Optional(FirstPeriodLength),
  price: Type.Integer({ ...Price, description: 'The price of the first period.' }),
  renewalPrice: Type.Integer({
    ...Price,
    description:
      'The price of the next period and each after it: at first that of the sale (changeRenewalPrice).',
  }),
  currency: Currency,
  developerPayload: DeveloperPayload,
  lastPurchaseId: PurchaseId,
  lastPeriodIndex: Type.Integer({
    minimum: 0,
    description:
      'The periodIndex of lastPurchaseId. A period that was paid after the end of the subscription, and voided, has the next one.',
  }),
};

export const ChangedSubscription = Type.Object(subscriptionFields, {
  $id: 'ChangedSubscription',
  description: 'A subscription right after a change.',
});
export type ChangedSubscription = Static<typeof ChangedSubscription>;

const listedFields = {
  ...subscriptionFields,
  orderId: Type.Optional(Type.String({ ...OrderId, description: 'The orderId of the first period.' })),
  voidedPeriods: Type.Array(Type.Integer({ minimum: 0 }), {
    maxItems: subscriptionPeriodsMax,
    description: `The periodIndex of each voided period of the whole subscription, oldest first, at most ${subscriptionPeriodsMax}.`,
  }),
};

export const ListedSubscription = Type.Object(listedFields, {
  $id: 'ListedSubscription',
  description: 'A subscription without its periods.',
});
export type ListedSubscription = Static<typeof ListedSubscription>;

/** A change with who made it and why, and the delivery of its event to the webhook. */
export const historyFields = {
  id: EventId,
  order: EventOrder,
  type: EventType,
  eventTime: Timestamp,
  madeBy: author('Who made the change'),
  requestId: Type.String({ description: 'The x-request-id of the call that made the change.' }),
  ...reasonFields,
  expiryReason: Type.Optional(ExpiryReason),
  previousRenewalPrice: Type.Optional(Price),
  renewalPrice: Type.Optional(Price),
  consent: Type.Optional(EventConsent),
  delivery: Type.Optional(
    Type.Object(
      {
        state: DeliveryState,
        dueTime: Type.Optional(Timestamp),
        attempts: Type.Integer({ minimum: 0, description: 'How many of its attempts are retained.' }),
        httpStatus: Type.Optional(Type.Integer()),
        failure: Type.Optional(DeliveryFailure),
      },
      { description: 'The delivery of the event to the webhook, with the result of its latest attempt.' },
    ),
  ),
  isImported: Type.Optional(imported),
};

export const SubscriptionEvent = Type.Object(
  {
    ...historyFields,
    purchaseId: PurchaseId,
    periodIndex: Type.Integer({
      minimum: 0,
      description:
        'That of the period of purchaseId: a failed payment belongs to the period before the unpaid one.',
    }),
    attempt: Type.Optional(ChargeAttempt),
  },
  { $id: 'SubscriptionEvent', description: 'A change of a period or of its subscription, with its author.' },
);
export type SubscriptionEvent = Static<typeof SubscriptionEvent>;

export const Subscription = Type.Object(
  {
    ...listedFields,
    productTitle: Type.Optional(ProductTitle),
    isErased: Type.Optional(
      Type.Literal(true, { description: 'Its buyer was erased: it cannot be reactivated.' }),
    ),
    periods: Type.Array(PaidPeriod, {
      maxItems: subscriptionPeriodsMax,
      description: `The paid periods, or those that the query asked for: oldest first, the newest ${subscriptionPeriodsMax} at most.`,
    }),
    attempts: Type.Array(Attempt, {
      maxItems: subscriptionEntriesMax,
      description: `The attempts to charge these periods and the next one: newest first, at most ${subscriptionEntriesMax}.`,
    }),
    events: Type.Array(SubscriptionEvent, {
      maxItems: subscriptionEntriesMax,
      description: `The retained events of these periods: newest first, at most ${subscriptionEntriesMax}.`,
    }),
    now: Type.Integer({
      ...Timestamp,
      description: 'The instant at which the subscription has this state, by the clock of the app, in ms.',
    }),
    cause: SubscriptionCause,
  },
  { $id: 'Subscription' },
);
export type Subscription = Static<typeof Subscription>;
