// Lists of subscriptions for operators. Each page reads a limited number of rows, however few match the filters.

import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import type { ListedSubscription } from '@opentill/contract/operator-resources.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { listPurchases } from '../purchases/purchase-lists.ts';
import { joinedPage, type Page, type PageRequest, pagedList } from '../statements/paged-list.ts';
import { SubscriptionRow, subscriptionColumns } from './subscriptions.ts';

interface SubscriptionFilter {
  readonly packageName?: string | undefined;
  readonly state?: ListedSubscription['state'] | undefined;
  readonly productId?: string | undefined;
  readonly buyerId?: string | undefined;
  /** That of a period, an order or a buyer. */
  readonly id?: string | undefined;
  readonly awaitsConsent?: true | undefined;
  /** Limits of nextPaymentTime, in ms: inclusive, exclusive. */
  readonly nextPaymentFrom?: number | undefined;
  readonly nextPaymentBefore?: number | undefined;
}

/** `time` is the start or, in a list of payments, the expiryTime. */
export const SubscriptionPosition = Type.Object({
  time: Timestamp,
  packageName: PackageName,
  firstPurchaseId: PurchaseId,
});
type SubscriptionPosition = Static<typeof SubscriptionPosition>;

const ListedRow = Type.Object({ ...SubscriptionRow.properties, time: Type.Integer() });

/** SQL for subscriptionStateAt of domain/subscriptions/subscription.ts at the instant $now. */
const stateText = `case when s.terminated_time is not null then 'terminated'
  when s.auto_renewing then case when s.expiry_time <= $now::bigint then 'paymentOutstanding' else 'active' end
  when s.expiry_time <= $now::bigint then 'expired' else 'autoPaymentOff' end`;

const subscriptionsBy = (name: string, time: string, direction: 'asc' | 'desc') =>
  pagedList({
    name,
    row: ListedRow,
    position: SubscriptionPosition,
    order: { time, packageName: 's.package_name', firstPurchaseId: 's.first_purchase_id' },
    direction,
    filters: {
      packageName: 's.package_name = $packageName',
      buyerId: 's.buyer_id = $buyerId',
      firstPurchaseId: 's.first_purchase_id = $firstPurchaseId',
      renewing: 's.auto_renewing',
      // As in statistic-reads.ts: of a range whose ends it does not know, PostgreSQL expects few rows, and uses the index.
      expiryUntil: 's.expiry_time between 0 and (select $expiryUntil::bigint)',
      awaitsConsent: `s.consent = 'awaited' and not s.expiry_event_written and s.expiry_time > $now::bigint`,
      productId: 's.product_id = $productId',
      state: `$state::text = ${stateText}`,
      nextPaymentFrom: 's.next_payment_time >= $nextPaymentFrom',
      nextPaymentBefore: 's.next_payment_time < $nextPaymentBefore',
    },
    scan: {
      table: 'subscription s',
      filters: ['productId', 'state', 'nextPaymentFrom', 'nextPaymentBefore'],
    },
    text: ({ where, page }) =>
      `select ${subscriptionColumns}, ${time} as time from subscription s where ${where} ${page}`,
  });

// Served by subscription_by_start, subscription_of_app and subscription_buyer, backwards, or by the primary key.
const byStart = subscriptionsBy('subscriptions', 's.first_start_time', 'desc');

// Served by subscription_renewing, subscription_awaiting_consent and, for one app, subscription_renewing_of_app and
// subscription_awaiting_consent_of_app.
const byPayment = subscriptionsBy('payments', 's.expiry_time', 'asc');

interface TimedPage extends PageRequest<SubscriptionPosition> {
  readonly now: number;
}

/**
 * A page of subscriptions by start, newest first, or those with a limit of their payment and those that await consent by
 * expiryTime, earliest first.
 * `now` is the instant at which they have the state of the filter.
 */
export async function listSubscriptions(
  queryable: Queryable,
  { id, ...filter }: SubscriptionFilter,
  page: TimedPage,
): Promise<Page<SubscriptionRow, SubscriptionPosition>> {
  if (id === undefined) return readList(queryable, filter, page);
  const pages = [await readList(queryable, { ...filter, buyerId: id }, page)];
  for (const paidPeriod of await listPeriodsOf(queryable, filter.packageName, id))
    pages.push(await readList(queryable, { ...filter, ...paidPeriod }, page));
  return joinedPage(['time', 'packageName', 'firstPurchaseId'], pages, page.limit);
}

/** The subscriptions of the periods that this purchase id or order id identifies, at most one in each of so many apps. */
const appsMax = 50;

async function listPeriodsOf(queryable: Queryable, packageName: string | undefined, id: string) {
  const page = { after: undefined, limit: appsMax };
  const found = [
    ...(await listPurchases(queryable, { packageName, purchaseId: id }, page)).rows,
    ...(await listPurchases(queryable, { packageName, orderId: id }, page)).rows,
  ];
  return found
    .filter((paidPeriod) => paidPeriod.firstPurchaseId !== null)
    .map(({ packageName: app, firstPurchaseId }) => ({ packageName: app, firstPurchaseId }));
}

type ListedPage = Page<Static<typeof ListedRow>, SubscriptionPosition>;

function readList(
  queryable: Queryable,
  filter: Omit<SubscriptionFilter, 'id'> & { readonly firstPurchaseId?: string | null },
  { now, ...page }: TimedPage,
): Promise<ListedPage> {
  const { state, buyerId, firstPurchaseId, awaitsConsent, nextPaymentFrom, nextPaymentBefore } = filter;
  // No payment falls due before the end of the paid period.
  const expiryLimits = [state === 'paymentOutstanding' ? now : undefined, nextPaymentBefore];
  const limits = expiryLimits.filter((limit) => limit !== undefined);
  const expiryUntil = limits.length === 0 ? undefined : Math.min(...limits);
  const values = { ...filter, expiryUntil, now };
  const isOfId = (buyerId ?? firstPurchaseId) !== undefined;
  const isOfPayment = expiryUntil !== undefined || nextPaymentFrom !== undefined;
  if (isOfId || !(isOfPayment || awaitsConsent)) return byStart(queryable, values, page);
  if (awaitsConsent) return byPayment(queryable, values, page);
  return readPayments(queryable, { ...values, renewing: true }, page);
}

type PaymentFilter = Omit<SubscriptionFilter, 'id'> & {
  readonly renewing: true;
  readonly expiryUntil: number | undefined;
  readonly now: number;
};

/** A payment after now is due at the end of its period, except for retries of outstanding ones: no page reads what is between. */
async function readPayments(
  queryable: Queryable,
  values: PaymentFilter,
  { after, limit }: PageRequest<SubscriptionPosition>,
): Promise<ListedPage> {
  const { nextPaymentFrom: from = 0, expiryUntil = values.now, now } = values;
  if (from <= now || (after !== undefined && after.time > now)) {
    return byPayment(queryable, values, { after, limit });
  }
  const retried = { ...values, expiryUntil: Math.min(expiryUntil, now) };
  const { rows, next } = await byPayment(queryable, retried, { after, limit });
  if (next !== undefined || rows.length === limit) return { rows, next: next ?? rows.at(-1) };
  const start = { time: from - 1, packageName: '', firstPurchaseId: '' };
  const due = await byPayment(queryable, values, { after: start, limit: limit - rows.length });
  return { rows: [...rows, ...due.rows], next: due.next };
}
