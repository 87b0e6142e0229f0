// The fields and filters of the operator API in the developer API: an allow-list, so that a new field or filter of an
// operation is hidden from developers until it is listed here.

import type { PublicAuthor } from './events.ts';

/** true: as it is. `author`: the app, or the store without a name. An object: these fields of an object, or of each in a list. */
export type Shown = true | 'author' | { readonly [field: string]: Shown };

/** The part of a response that is shown. */
export type ShownOf<Value, Fields> = Fields extends true
  ? Value
  : Fields extends 'author'
    ? PublicAuthor | Extract<Value, undefined>
    : Value extends readonly (infer Entry)[]
      ? ShownOf<Entry, Fields>[]
      : Value extends object
        ? {
            [Name in keyof Value as Name extends keyof Fields | SandboxField ? Name : never]: ShownOf<
              Value[Name],
              Name extends keyof Fields ? Fields[Name] : true
            >;
          }
        : Value;

/** Fields and filters that the sandbox has in addition, wherever an operation has them: its buyers are those of the developer. */
export const sandboxFields = ['buyerId'] as const;
export type SandboxField = (typeof sandboxFields)[number];

type WordsOf<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | WordsOf<Rest> : Text;

const tableOf = (texts: readonly string[], value: Shown) =>
  Object.fromEntries(texts.flatMap((text) => text.split(' ')).map((name) => [name, value]));

const fields = <const Text extends string>(...texts: readonly Text[]) =>
  tableOf(texts, true) as { readonly [Name in WordsOf<Text>]: true };

const authors = <const Text extends string>(...texts: readonly Text[]) =>
  tableOf(texts, 'author') as { readonly [Name in WordsOf<Text>]: 'author' };

const product = fields('packageName productId type period title price currency createdAt updatedAt');

const purchase = {
  ...fields('packageName purchaseId productId type orderId purchaseTime developerPayload price currency'),
  ...fields('consumptionState purchaseState consumedTime voidedTime voidReason refundAmount'),
  ...fields('firstPurchaseId periodIndex startTime expiryTime'),
  ...authors('recordedBy consumedBy voidedBy'),
};

const attempt = {
  ...fields('packageName firstPurchaseId periodIndex attempt state dueTime begunTime tries wasPending'),
  ...fields('nextTryTime outcome settledTime purchaseId refundDueTime'),
};

const changedSubscription = {
  ...fields('packageName firstPurchaseId productId state startTime expiryTime nextPaymentTime autoRenewing'),
  ...fields('cancelReason cancelledTime terminatedTime timeZone period firstPeriod'),
  ...fields('price renewalPrice currency developerPayload awaitsConsent'),
  ...fields('lastPurchaseId lastPeriodIndex'),
  ...authors('autoPaymentChangedBy'),
};

const listedSubscription = { ...changedSubscription, ...fields('voidedPeriods') };

const subscription = {
  ...listedSubscription,
  ...fields('now'),
  periods: fields(
    'purchaseId periodIndex startTime expiryTime price purchaseState voidedTime voidReason refundAmount',
  ),
  attempts: attempt,
  events: {
    ...fields('id order type eventTime purchaseId periodIndex expiryReason'),
    ...fields('previousRenewalPrice renewalPrice consent'),
    ...authors('madeBy'),
  },
  cause: { ...fields('kind text purchaseId'), attempt: fields('periodIndex attempt') },
};

const sums = fields(
  'currency sales salesAmount trials renewals renewalsAmount refunds refundsAmount netAmount',
);

const statement = {
  ...fields('packageName name timeZone firstOrder lastOrder closedAt isFirst isIncomplete'),
  totals: sums,
};

const webhook = fields('packageName url createdAt updatedAt');

const delivery = {
  ...fields('id order type eventTime purchaseId state dueTime'),
  attempts: fields('time appTime httpStatus failure location latencyMs response isResponseCut'),
};

const clock = fields('now mode rate advanceTo');

const faults = {
  faults: fields('operation code httpStatus delayMs cut outcome firstPurchaseId times applied'),
};

/** The fields of the responses of each operation of the developer API. */
export const shownFields = {
  getApp: fields('packageName name clientId disabled disabledAt createdAt'),
  rotateClientSecret: fields('clientId clientSecret'),
  expelTokens: {},
  putProduct: product,
  listProducts: { products: product, nextPageToken: true },
  recordPurchase: purchase,
  recordConsumption: purchase,
  getPurchase: { ...purchase, history: { ...fields('id order type eventTime'), ...authors('madeBy') } },
  listPurchases: { purchases: purchase, nextPageToken: true },
  voidPurchase: purchase,
  listSubscriptions: { subscriptions: listedSubscription, nextPageToken: true },
  getSubscription: subscription,
  cancelSubscription: changedSubscription,
  reactivateSubscription: changedSubscription,
  changeRenewalPrice: changedSubscription,
  extendSubscription: changedSubscription,
  settleAttempt: attempt,
  getStatistics: {
    ...fields('timeZone calledAt countedUntil'),
    before: fields('currency active'),
    unpaid: fields('currency subscriptions'),
    rows: {
      ...fields('period packageName productId currency sold soldAmount trials started startedAmount'),
      ...fields('renewedFirst renewedFirstAmount renewedLater renewedLaterAmount voided voidedAmount'),
      ...fields('declined lost cancelled expired ended open active'),
    },
  },
  listStatements: { statements: statement, nextPageToken: true },
  getStatement: { ...statement, products: { ...fields('productId'), ...sums } },
  putWebhook: { ...webhook, ...fields('secret previousSecretUntil') },
  getWebhook: { ...webhook, ...fields('previousSecretUntil') },
  deleteWebhook: {},
  rotateWebhookSecret: fields('secret previousSecretUntil'),
  testWebhook: fields('id type order eventTime environment packageName'),
  listDeliveries: { deliveries: delivery, nextPageToken: true },
  getDelivery: {
    ...delivery,
    ...fields('deliveredTime'),
    cause: fields('kind text attempt deliveryId'),
    heldBehind: fields('id order'),
    request: {
      headers: fields('content-type user-agent webhook-id webhook-timestamp'),
      body: true,
    },
  },
  redeliver: delivery,
  redeliverFailed: fields('count'),
  getClock: { ...clock, stops: fields('time kind count id') },
  putClock: clock,
  // Events as the feed lists them for developers.
  advanceClock: fields('now count happened eventsAfter'),
  putFaults: faults,
  getFaults: faults,
  putToken: fields('issuedAt expiresIn expiresAt isRenewed'),
  listRequests: {
    requests: {
      ...fields('time appTime requestId operationId method path httpStatus errorCode latencyMs'),
      ...fields('response isResponseCut fault cause'),
      hints: fields('hint explanation'),
    },
    nextPageToken: true,
  },
  reset: {},
} as const satisfies Readonly<Record<string, Shown>>;

const paging = ['pageSize', 'pageToken'] as const;

/** The query of each operation of the developer API. */
export const shownFilters = {
  listProducts: paging,
  listPurchases: ['purchaseId', 'orderId', 'productId', 'state', 'from', 'to', ...paging],
  listSubscriptions: [
    'productId',
    'state',
    'awaitsConsent',
    'nextPaymentFrom',
    'nextPaymentBefore',
    ...paging,
  ],
  getSubscription: ['fromPeriod', 'toPeriod', 'newestPeriods'],
  getStatistics: ['productId', 'currency', 'from', 'to', 'by'],
  listStatements: paging,
  listDeliveries: ['state', 'purchaseId', ...paging],
  listRequests: ['operationId', 'status', ...paging],
} as const satisfies Readonly<Record<string, readonly string[]>>;
