// The commands with names of their own, with their words where those of the contract do not serve.

import type {
  Action,
  App,
  Attempt,
  ClockAdvance,
  Delivery,
  Faults,
  Product,
  Purchase,
  PurchaseWithHistory,
  Renewals,
  Statement,
  StatementOfProducts,
  Subscription,
} from '@opentill/client/operator';
import type { Columns } from '../terminal/output.ts';
import { printableValue } from '../terminal/printable-text.ts';
import type { CommandWords } from './operator-command.ts';

type FieldOf<Row> = Row extends unknown ? keyof Row & string : never;

/** Columns that are fields. */
export function fields<Row extends object>(...names: readonly FieldOf<Row>[]): Columns<Row> {
  return Object.fromEntries(
    names.map((name) => [name, (row: Row) => (row as Record<string, unknown>)[name]]),
  );
}

const apps: Columns<App> = {
  ...fields<App>('packageName', 'clientId', 'name'),
  state: ({ disabled }) => (disabled ? 'disabled' : 'active'),
  ...fields<App>('createdAt'),
};

const purchases: Columns<Purchase> = {
  ...fields<Purchase>('purchaseId', 'productId'),
  state: ({ purchaseState, consumptionState }) =>
    purchaseState === 1 ? 'voided' : consumptionState === 1 ? 'consumed' : 'completed',
  ...fields<Purchase>('purchaseTime', 'price', 'currency', 'orderId', 'buyerId'),
};

/** People count periods from 1. */
const period = { period: ({ periodIndex }: { readonly periodIndex: number }) => periodIndex + 1 };

const periods: Columns<Subscription['periods'][number]> = {
  ...period,
  ...fields('purchaseId', 'startTime', 'expiryTime', 'price'),
  state: ({ purchaseState }) => (purchaseState === 1 ? 'voided' : 'completed'),
};

const attempts: Columns<Attempt> = {
  ...period,
  ...fields<Attempt>('periodIndex', 'attempt'),
  state: ({ state, outcome = state }) => (state === 'refundDue' ? state : outcome),
  ...fields<Attempt>('dueTime', 'tries', 'nextTryTime', 'settledTime', 'purchaseId'),
};

type SubscriptionEvent = Subscription['events'][number];

const events: Columns<SubscriptionEvent> = {
  ...fields<SubscriptionEvent>('eventTime', 'type'),
  ...period,
  ...fields<SubscriptionEvent>('purchaseId', 'madeBy'),
  reason: ({ expiryReason, reasonCode }) => expiryReason ?? reasonCode,
  ...fields<SubscriptionEvent>('note'),
};

const list = <Row extends object>(name: string, rows: readonly Row[], columns: Columns<Row>) => ({
  ...{ name, rows, columns: columns as Columns<object> },
});

const subscriptions = {
  shown({ periods: paid, attempts: _, events: changes, ...rest }: Subscription) {
    const { lastPeriodIndex, voidedPeriods, ...others } = rest;
    const voided = voidedPeriods.map((index) => index + 1).join(', ') || undefined;
    return {
      fields: { ...others, lastPeriod: lastPeriodIndex + 1, voidedPeriods: voided },
      lists: [list('periods', paid, periods), list('events', changes, events)],
    };
  },
};

/** With the period that people count. */
function purchaseRecord({ periodIndex, ...rest }: Purchase): object {
  return { ...rest, period: periodIndex === undefined ? undefined : periodIndex + 1 };
}

const onePurchase = {
  shown: (purchase: Purchase) => ({ fields: purchaseRecord(purchase), lists: [] }),
};

const deliveries: Columns<Delivery> = {
  ...fields<Delivery>('id', 'eventTime', 'type', 'purchaseId', 'state'),
  attempts: (delivery) => delivery.attempts.length,
  last: ({ attempts }) => {
    const { httpStatus, failure, failureCode } = attempts.at(-1) ?? {};
    return httpStatus ?? (failureCode === undefined ? failure : `${failure} (${failureCode})`);
  },
  ...fields<Delivery>('dueTime'),
};

const actions: Columns<Action> = {
  time: ({ time }) => time,
  app: ({ packageName }) => packageName,
  ...fields<Action>('order', 'operationId', 'madeBy'),
  address: ({ clientAddress }) => clientAddress,
  ...fields<Action>('subject'),
  reason: ({ reasonCode }) => reasonCode,
  ticket: ({ ticket }) => ticket,
  detail: ({ note, detail = {} }) =>
    note ??
    Object.entries(detail)
      .map(([field, value]) => `${field} ${printableValue(field, value)}`)
      .join(', '),
};

type StatementTotal = Statement['totals'][number];

const totals: Columns<StatementTotal> = fields<StatementTotal>(
  ...(['currency', 'sales', 'salesAmount', 'trials', 'renewals', 'renewalsAmount'] as const),
  ...(['refunds', 'refundsAmount', 'netAmount'] as const),
);

const statements: Columns<Statement> = {
  ...fields<Statement>('name', 'firstOrder', 'lastOrder', 'closedAt'),
  net: ({ totals: sums, isIncomplete }) =>
    isIncomplete
      ? 'incomplete'
      : sums.map(({ netAmount, currency }) => `${netAmount} ${currency}`).join(', '),
};

const effects = ['code', 'httpStatus', 'delayMs', 'cut', 'outcome'] as const;

export const faults: Columns<Faults['faults'][number]> = {
  operation: ({ operation }) => operation,
  effect: (fault) =>
    effects
      .filter((name) => fault[name] !== undefined)
      .map((name) => `${name} ${fault[name]}`)
      .join(', '),
  ...fields('times', 'applied'),
};

const renewals = {
  args: ['packageName'],
  /** A pause is one line, as in `store  since 2026-03-15 12:00:00Z by operator:root: maintenance`. */
  shown({ paused, unresolved, pauses, hold, ...rest }: Renewals) {
    const lines = pauses.map(({ scope, since, madeBy, reason }) => {
      const words = [
        `since ${printableValue('time', since)}`,
        madeBy && ` by ${madeBy}`,
        reason && `: ${reason}`,
      ];
      return [scope, words.filter(Boolean).join('')];
    });
    const shown = { paused, ...Object.fromEntries(lines), heldBecause: hold?.message, ...rest };
    const columns = { ...fields<Attempt>('packageName', 'firstPurchaseId'), ...attempts };
    return { fields: shown, lists: [list('attempts to settle', unresolved, columns)] };
  },
};

export const namedCommands: Readonly<Record<string, CommandWords>> = {
  'app create': { operation: 'createApp', args: ['packageName'] },
  'app list': { operation: 'listApps', columns: apps },
  'app rotate-secret': { operation: 'rotateClientSecret' },
  'app disable': {
    operation: 'updateApp',
    description: 'end the tokens of an app, and stop its sales and renewals until it is enabled',
    fixed: { disabled: true, name: undefined },
  },
  'app enable': {
    operation: 'updateApp',
    description: 'let an app request tokens, sell and renew again',
    fixed: { disabled: false, name: undefined },
  },
  'product put': { operation: 'putProduct' },
  'product list': {
    operation: 'listProducts',
    columns: fields<Product>('productId', 'type', 'price', 'currency', 'title', 'updatedAt'),
  },
  'purchase record': { operation: 'recordPurchase', args: ['productId'], ...onePurchase },
  'purchase consume': { operation: 'recordConsumption', ...onePurchase },
  'purchase show': {
    operation: 'getPurchase',
    shown: ({ history, voidEffects: _, ...rest }: PurchaseWithHistory) => ({
      fields: purchaseRecord(rest),
      lists: [
        list(
          'history',
          history,
          fields<PurchaseWithHistory['history'][number]>('eventTime', 'type', 'madeBy', 'requestId'),
        ),
      ],
    }),
  },
  'purchase void': { operation: 'voidPurchase', ...onePurchase },
  'purchase list': {
    operation: 'listPurchases',
    args: ['packageName'],
    columns: { ...fields<Purchase>('packageName'), ...purchases },
  },
  'statement list': { operation: 'listStatements', columns: statements },
  'statement get': {
    operation: 'getStatement',
    shown: ({ totals: sums, products, ...rest }: StatementOfProducts) => ({
      fields: rest,
      lists: [
        list('totals', sums, totals),
        list('products', products, { ...fields<(typeof products)[number]>('productId'), ...totals }),
      ],
    }),
  },
  'subscription show': { operation: 'getSubscription', ...subscriptions },
  'subscription cancel': { operation: 'cancelSubscription' },
  'subscription reactivate': { operation: 'reactivateSubscription' },
  'subscription extend': { operation: 'extendSubscription', args: ['expiryTime'] },
  'subscription attempts': {
    operation: 'getSubscription',
    description: 'list the attempts to charge a subscription, newest first',
    shown: ({ state, cause, attempts: rows }: Subscription) => ({
      fields: { state, cause },
      lists: [list('attempts', rows, attempts)],
    }),
  },
  'subscription settle': { operation: 'settleAttempt' },
  'renewals show': { operation: 'getRenewals', ...renewals },
  'renewals pause': { operation: 'pauseRenewals', ...renewals },
  'renewals resume': { operation: 'resumeRenewals', ...renewals },
  'clock show': { operation: 'getClock' },
  'clock set': { operation: 'putClock', args: ['mode'] },
  'clock advance': {
    operation: 'advanceClock',
    exactlyOne: ['by', 'to'],
    columns: fields<ClockAdvance['happened'][number]>('eventTime', 'type', 'purchaseId'),
  },
  'fault list': { operation: 'getFaults', columns: faults },
  'fault clear': {
    operation: 'putFaults',
    description: 'remove all faults of the app',
    fixed: { faults: [] },
    columns: faults,
  },
  'webhook set': { operation: 'putWebhook', args: ['url'] },
  'webhook show': { operation: 'getWebhook' },
  'webhook test': { operation: 'testWebhook' },
  'webhook deliveries': { operation: 'listDeliveries', columns: deliveries },
  'webhook redeliver': { operation: 'redeliver' },
  'audit list': { operation: 'listActions', columns: actions },
};
