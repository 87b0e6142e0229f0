// The kinds of lines of an export, in order, with the tables of each and the rows that its lines refer to. A test
// compares this list with docs/import-export.md.

import type { NewFault } from '@opentill/contract/faults.ts';
import { faultProblems } from '../../domain/sandbox/faults.ts';
import { anchorOfMoved, expectedTimeZone, isTimeZone } from '../../domain/subscriptions/calendar-period.ts';
import { lengthProblem } from '../../domain/subscriptions/period-length.ts';
import { quoteInstant } from '../../domain/text/quoted-value.ts';
import * as ledger from '../tables/ledger.ts';
import { closedMonth } from '../tables/months.ts';
import * as sandbox from '../tables/sandbox.ts';
import * as webhooks from '../tables/webhooks.ts';
import type { TransferTables } from './columns.ts';

/** The lengths of periods, for people. */
export const expectedPeriod = 'expected P1W, P1M, P3M, P6M or P1Y';

type LineValues = Readonly<Record<string, unknown>>;

/** Returns the problem of a line whose fields are valid one by one. */
type LineRule = (values: LineValues) => string | undefined;

/** A row of the same app that a field of a line names. */
interface Reference {
  readonly field: string;
  readonly table: string;
  readonly column: string;
  /** SQL for the type that the row must have. */
  readonly type?: string;
}

export type Counter = 'eventOrder' | 'voidOrder' | 'lastVoidedTime' | 'actionOrder';

export interface TransferKind {
  readonly kind: string;
  readonly tables: TransferTables;
  readonly references: readonly Reference[];
  /** Counters of the app, each with the field whose value it must reach. */
  readonly counters: Readonly<Partial<Record<Counter, string>>>;
  /** Check fields against each other. */
  readonly rules: readonly LineRule[];
  /** The values of a valid line, with those that it leaves out. */
  readonly complete: (values: LineValues) => LineValues;
  /** Production does not use such rows. */
  readonly isSandboxOnly: boolean;
  /** Some rows belong to no app: they have the package name ''. */
  readonly isStoreWide: boolean;
}

// The rules check what neither columns nor check constraints can express: no server writes rows that break them, and readers
// of such rows would fail.

const timeZoneRule: LineRule = ({ timeZone }) =>
  timeZone === undefined || isTimeZone(String(timeZone)) ? undefined : `timeZone: ${expectedTimeZone}`;

/** A subscription that ended, or whose buyer was erased, has nothing left to renew. */
const subscriptionRule: LineRule = ({ autoRenewing, nextPaymentTime, expiryEventWritten, ...values }) => {
  if (autoRenewing !== true) {
    // An open charge could be paid while consent is awaited.
    const without = ['terminatedTime', 'openChargeTime'].find((field) => values[field] !== undefined);
    if (values['consent'] !== undefined && without) return `consent: expected none with ${without}`;
    return nextPaymentTime === undefined
      ? undefined
      : 'nextPaymentTime: expected none while autoRenewing is false';
  }
  if (nextPaymentTime === undefined) return 'nextPaymentTime: expected one while autoRenewing is true';
  if (expiryEventWritten === true) return 'expiryEventWritten: expected false while autoRenewing is true';
  const after = ['cancelledTime', 'consent', 'terminatedTime', 'erasedAt'].find(
    (field) => values[field] !== undefined,
  );
  return after && `${after}: expected none while autoRenewing is true`;
};

/** A line with an anchor comes from a server, and a void ends a period early. */
const lastPeriodRule: LineRule = (values) => {
  const { period, firstPeriod, lastPeriodIndex, lastStartTime, expiryTime, ...others } = values;
  const { anchorTime, anchorIndex, terminatedTime } = others;
  if ([anchorTime, anchorIndex, terminatedTime].some((value) => value !== undefined)) return undefined;
  const length = lastPeriodIndex === 0 ? (firstPeriod ?? period) : period;
  const last = { startTime: Number(lastStartTime), expiryTime: Number(expiryTime) };
  return lengthProblem(last, String(length));
};

/** A period ends before it starts only if it was void before. */
const purchaseRule: LineRule = ({ startTime, expiryTime, voidedTime }) => {
  if (startTime === undefined) return undefined;
  if (Number(expiryTime) >= Number(startTime) || expiryTime === voidedTime) return undefined;
  return `expiryTime: expected ${quoteInstant(Number(startTime))}, the startTime, or later, got ${quoteInstant(Number(expiryTime))}`;
};

/** The values of a subscription, whose line may leave out its anchor. */
const withAnchor = (values: LineValues): LineValues =>
  values['anchorTime'] === undefined && values['anchorIndex'] === undefined
    ? { ...values, ...anchorOfMoved(values as unknown as Parameters<typeof anchorOfMoved>[0]) }
    : values;

/** Without a period, a year would be charged every month. */
const productRule: LineRule = ({ type, period }) => {
  if (type === 'oneTime') {
    return period === undefined ? undefined : 'period: expected none for a one-time product';
  }
  return period === undefined ? `period: ${expectedPeriod}, for a product of type subscription` : undefined;
};

/** What an event of a cancel or a reactivation may say about consent. */
const consents: ReadonlyMap<string, string> = new Map([
  ['subscription.auto_payment_cancelled', 'awaited'],
  ['subscription.auto_payment_reactivated', 'given'],
]);

/** The type of an event determines which ids it has; only a period has a record. */
const eventRule: LineRule = ({ type, ...values }) => {
  const isOf = (field: string) => values[field] !== undefined;
  const isPeriod = isOf('firstPurchaseId');
  const expected: Readonly<Record<string, boolean>> = {
    purchaseId: type !== 'test',
    productId: type !== 'test',
    firstPurchaseId:
      String(type).startsWith('subscription.') ||
      (isPeriod && type !== 'test' && type !== 'purchase.consumed'),
    record: isPeriod,
    expiryReason: type === 'subscription.expired',
    previousExpiryTime: type === 'subscription.extended',
    attempt: type === 'subscription.payment_failed',
    renewalPrice: type === 'subscription.started' || isOf('previousRenewalPrice'),
    previousRenewalPrice: type === 'subscription.renewal_price_changed',
    consent: isOf('consent') && values['consent'] === consents.get(String(type)),
  };
  const wrong = Object.entries(expected).find(([field, isThere]) => isThere !== isOf(field));
  return wrong && `${wrong[0]}: expected ${wrong[1] ? 'one' : 'none'} in such an event`;
};

/** The rule of putFaults. */
const faultRule: LineRule = (values) => {
  const [problem] = faultProblems(values as unknown as NewFault);
  return problem && `${problem.field}: ${problem.message}`;
};

const webhookRule: LineRule = ({ url }) => (URL.canParse(String(url)) ? undefined : 'url: expected a URL');

const kind = (
  name: string,
  tables: TransferTables,
  more: Partial<Omit<TransferKind, 'kind' | 'tables'>> = {},
): TransferKind => ({
  kind: name,
  tables,
  references: [],
  counters: {},
  rules: [],
  complete: (values) => values,
  isSandboxOnly: false,
  isStoreWide: false,
  ...more,
});

const ofProduct = (type: string): Reference => ({
  field: 'productId',
  table: 'product',
  column: 'product_id',
  type,
});
const ofSubscription: Reference = {
  field: 'firstPurchaseId',
  table: 'subscription',
  column: 'first_purchase_id',
};
const ofPurchase: Reference = { field: 'purchaseId', table: 'purchase', column: 'purchase_id' };

/** In the order in which they are exported, for each app. */
export const transferKinds: readonly TransferKind[] = [
  kind('app', [ledger.app, ledger.accessToken, ledger.appCounter]),
  kind('product', [ledger.product], { rules: [productRule] }),
  kind('subscription', [ledger.subscription], {
    references: [ofProduct(`'subscription'`)],
    rules: [timeZoneRule, subscriptionRule, lastPeriodRule],
    complete: withAnchor,
  }),
  kind('purchase', [ledger.purchase], {
    references: [
      ofProduct(`case when purchase.first_purchase_id is null then 'oneTime' else 'subscription' end`),
      ofSubscription,
    ],
    rules: [purchaseRule],
    counters: { voidOrder: 'voidOrder', lastVoidedTime: 'voidedTime' },
  }),
  kind('renewalAttempt', [ledger.renewalAttempt], {
    references: [ofSubscription],
  }),
  kind('renewalPause', [ledger.renewalPause], {
    isStoreWide: true,
  }),
  kind('event', [ledger.event], {
    references: [ofPurchase],
    counters: { eventOrder: 'eventOrder' },
    rules: [eventRule],
  }),
  kind('closedMonth', [closedMonth], {
    counters: { eventOrder: 'lastOrder' },
    rules: [timeZoneRule],
  }),
  kind('webhook', [webhooks.webhook], {
    counters: { eventOrder: 'cursorOrder' },
    rules: [webhookRule],
  }),
  kind('delivery', [webhooks.webhookDelivery], {
    counters: { eventOrder: 'eventOrder' },
  }),
  kind('action', [ledger.operatorAction], {
    counters: { actionOrder: 'order' },
    isStoreWide: true,
  }),
  kind('clock', [sandbox.appClock], { isSandboxOnly: true }),
  kind('fault', [sandbox.fault], { rules: [faultRule], isSandboxOnly: true }),
];
