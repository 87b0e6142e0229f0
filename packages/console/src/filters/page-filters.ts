// The search parameters of the pages. They are apart from the pages, because the router checks them before it loads a page.

import { deliveryStates, subscriptionStates } from '../parts/states.tsx';
import { daysDefault } from '../values/days.ts';
import type { FilterField, FilterFields } from './filter-fields.ts';

/** Chosen above the navigation. */
const app = { packageName: { label: 'App', isElsewhere: true } } as const satisfies FilterFields;

/** The id of a record that a customer may name. */
const id = { id: { label: 'Order, purchase or buyer', mayHaveSpaces: true } } as const satisfies FilterFields;

const buyer = { label: 'Buyer', mayHaveSpaces: true } as const satisfies FilterField;

/** Both days are inclusive. */
const days = {
  from: { label: 'From', isDay: true },
  to: { label: 'To', isDay: true },
} as const satisfies FilterFields;

export const noFields = {} as const satisfies FilterFields;

export const findFields = {
  q: { label: 'Text', mayHaveSpaces: true },
  orderId: { label: 'Order id', mayHaveSpaces: true },
} as const satisfies FilterFields;

export const buyerFields = { id: buyer } as const satisfies FilterFields;

export const appsFields = {
  containing: { label: 'Name contains' },
  state: { label: 'State', any: 'active', options: { disabled: 'disabled', all: 'all' } },
} as const satisfies FilterFields;

export const deliveriesFields = {
  state: { label: 'State', options: deliveryStates },
} as const satisfies FilterFields;

export const changesFields = {
  by: { label: 'By' },
  operationId: { label: 'Operation' },
  subject: { label: 'Subject' },
  from: { label: 'From', isTime: true },
  to: { label: 'To', isTime: true },
} as const satisfies FilterFields;

export const auditFields = { ...app, ...changesFields } as const satisfies FilterFields;

export const appPurchasesFields = {
  state: {
    label: 'State',
    options: { completed: 'completed', consumed: 'consumed', voided: 'voided' },
  },
  productId: { label: 'Product' },
  ...id,
  ...days,
} as const satisfies FilterFields;

/** Without an app, the others need one. */
export const storePurchasesFields = {
  ...app,
  state: { label: 'State', options: { voided: 'voided' } },
  ...id,
  ...days,
} as const satisfies FilterFields;

export const purchasesFields = { ...app, ...appPurchasesFields } as const satisfies FilterFields;

export const subscriptionsFields = {
  ...app,
  state: { label: 'State', options: subscriptionStates },
  awaitsConsent: { label: 'Consent', options: { true: 'awaited' } },
  productId: { label: 'Product' },
  ...id,
  nextPaymentBefore: {
    label: 'Next payment',
    isTime: true,
    options: { '+1d': 'within a day', '+7d': 'within 7 days', '+30d': 'within 30 days' },
  },
} as const satisfies FilterFields;

/** The kinds of what happened to a subscription. */
export const storyKinds = { payments: 'Payments', changes: 'Changes', operators: 'By operators' } as const;

export const subscriptionFields = {
  kind: { label: 'Kind', options: storyKinds },
  /** The last period of the picture, from 1; the newest one if absent. */
  until: { label: 'Until period' },
} as const satisfies FilterFields;

/** The choices of a range of days: a month, or a number of days up to today. */
const ranges = {
  [daysDefault]: `the last ${daysDefault} days`,
  month: 'this month',
  lastMonth: 'last month',
  '7': 'the last 7 days',
  '90': 'the last 90 days',
  '365': 'the last 365 days',
} as const;

/** The inputs above the report. */
export const reportFilters = {
  range: { label: 'Range', options: ranges, any: 'chosen days', replaces: ['from', 'to'] },
  ...days,
  ...app,
  productId: { label: 'Product' },
} as const satisfies FilterFields;

/** The statements of an app. */
export const statementFields = { ...app } as const satisfies FilterFields;

/** The charts show one currency. */
export const reportFields = {
  ...reportFilters,
  currency: { label: 'Currency' },
} as const satisfies FilterFields;

const same = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

const purchaseOperations = [
  'getAccessToken',
  'getPurchaseDetails',
  'getPurchaseDetailsByProductId',
  'getRecurringPurchaseDetails',
  'getLastRecurringPurchaseDetails',
  'manageRecurringPaymentStatus',
  'getVoidedPurchases',
  'consumePurchase',
];

/** The filters of the logged calls in the lab. */
export const requestFields = {
  operationId: { label: 'Operation', options: same(purchaseOperations) },
  status: {
    label: 'Status',
    options: same(['200', '400', '401', '404', '409', '413', '429', '431', '500', '503']),
  },
} as const satisfies FilterFields;
