// The resources of the operator API and the sandbox API: what a store sees of its apps, products,
// purchases and subscriptions. Times are milliseconds; a field that does not apply is left out.

import Type, { type Static } from 'typebox';
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
  Timestamp,
  VoidReason,
} from './fields.ts';

export const App = Type.Object(
  {
    packageName: PackageName,
    name: Type.Optional(AppName),
    clientId: ClientId,
    disabled: Type.Boolean({ description: 'A disabled app gets no token, and its tokens are refused.' }),
    disabledAt: Type.Optional(Timestamp),
    createdAt: Timestamp,
  },
  { $id: 'App' },
);
export type App = Static<typeof App>;

const clientSecret = Type.String({ description: 'Shown in this answer only: the server keeps its hash.' });

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
    title: Type.Optional(ProductTitle),
    price: Price,
    currency: Currency,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Product' },
);
export type Product = Static<typeof Product>;

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
  firstPurchaseId: Type.Optional(PurchaseId),
  periodIndex: Type.Optional(Type.Integer({ minimum: 0, description: 'The month, from 0.' })),
  startTime: Type.Optional(Timestamp),
  expiryTime: Type.Optional(Timestamp),
};

export const Purchase = Type.Object(purchaseFields, {
  $id: 'Purchase',
  description: 'The whole record. The last four fields are those of a month of a subscription.',
});
export type Purchase = Static<typeof Purchase>;

/** Entries of a purchase's history: of a subscription auto-payment may be cancelled and reactivated any number of times. */
export const historyEntriesMax = 100;

const HistoryEntry = Type.Object({
  type: Type.String({ description: 'The type of the event, such as purchase.consumed.' }),
  time: Timestamp,
  madeBy: Type.String({ description: 'operator:<key name>, app or job:<name>.' }),
  requestId: Type.String({ description: 'The x-request-id of the call that made the change.' }),
});

export const PurchaseWithHistory = Type.Object(
  {
    ...purchaseFields,
    history: Type.Array(HistoryEntry, {
      maxItems: historyEntriesMax,
      description: `What was done to it and by whom, oldest first: the last ${historyEntriesMax} entries, as far back as events are kept.`,
    }),
  },
  { $id: 'PurchaseWithHistory' },
);
export type PurchaseWithHistory = Static<typeof PurchaseWithHistory>;

const SubscriptionState = Type.Union(
  [
    Type.Literal('active'),
    Type.Literal('auto_payment_off'),
    Type.Literal('payment_outstanding'),
    Type.Literal('expired'),
    Type.Literal('terminated'),
  ],
  {
    description:
      'active: it renews at nextPaymentTime. auto_payment_off: it runs until expiryTime, and can be reactivated until then. payment_outstanding: expiryTime has passed and the payment is still tried. expired: it ran out. terminated: it ended at once, by a void or by a cancel while payment was outstanding.',
  },
);

/** Months that a subscription shows: a century of them, which bounds the answer. */
export const subscriptionMonthsMax = 1200;

const SubscriptionMonth = Type.Object({
  purchaseId: PurchaseId,
  periodIndex: Type.Integer({ minimum: 0 }),
  startTime: Timestamp,
  expiryTime: Timestamp,
  price: Price,
  purchaseState: PurchaseState,
  voidedTime: Type.Optional(Timestamp),
  voidReason: Type.Optional(VoidReason),
});

export const Subscription = Type.Object(
  {
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
    timeZone: Type.String({ description: 'Its months are counted by the calendar of this time zone.' }),
    price: Price,
    currency: Currency,
    developerPayload: DeveloperPayload,
    lastPurchaseId: PurchaseId,
    months: Type.Array(SubscriptionMonth, {
      maxItems: subscriptionMonthsMax,
      description: `Its paid months, oldest first, at most ${subscriptionMonthsMax}.`,
    }),
  },
  { $id: 'Subscription' },
);
export type Subscription = Static<typeof Subscription>;

export const Change = Type.Object(
  {
    operationId: Type.String({ description: 'The operation that made the change.' }),
    detail: Type.String({ description: 'What was changed, for people. Never a secret.' }),
    time: Timestamp,
    madeBy: Type.String({ description: 'operator:<key name>, app or job:<name>.' }),
    requestId: Type.String({ description: 'The x-request-id of the call that made the change.' }),
  },
  { $id: 'Change', description: 'What was done to the app itself: settings, secrets, tokens, products.' },
);
export type Change = Static<typeof Change>;
