// Lists of subscriptions for operators. Each page reads a limited number of rows, however few match the filters.

import { timestampMax } from '@opentill/contract/fields.ts';
import type { ListedSubscription } from '@opentill/contract/operator-resources.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { SubscriptionRow, subscriptionColumns } from './subscriptions.ts';

interface SubscriptionFilter {
  readonly packageName?: string | undefined;
  readonly state?: ListedSubscription['state'] | undefined;
  readonly productId?: string | undefined;
  readonly buyerId?: string | undefined;
  /** Limits nextPaymentTime, in ms (exclusive). */
  readonly nextPaymentBefore?: number | undefined;
}

/** `time` is the start or, in a list of payments, the expiryTime. */
const Position = Type.Object({
  time: Type.Integer(),
  packageName: Type.String(),
  firstPurchaseId: Type.String(),
});
type Position = Static<typeof Position>;

/** Rows that one page scans for a product or a state, which no index serves: some tens of ms. */
export const scannedRowsMax = 10_000;

/** SQL for subscriptionStateAt of domain/subscriptions/subscription.ts at the instant $10. */
const stateText = `case when s.terminated_time is not null then 'terminated'
  when s.auto_renewing then case when s.expiry_time <= $10::bigint then 'payment_outstanding' else 'active' end
  when s.expiry_time <= $10::bigint then 'expired' else 'auto_payment_off' end`;

interface ListIndex {
  readonly name: string;
  /** The condition of a partial index. */
  readonly condition?: string;
  /** The first column of the index, and the parameter that it equals. */
  readonly scope?: { readonly column: string; readonly parameter: string };
  readonly time: 'first_start' | 'expiry_time';
}

function listStatements({ name, condition = 'true', scope, time }: ListIndex) {
  const { after, until, direction } =
    time === 'first_start'
      ? { after: '<', until: '>=', direction: 'desc' }
      : { after: '>', until: '<=', direction: 'asc' };
  // The plain comparison of the time makes a generic plan use this index.
  const compared = (operator: string, [instant, packageName, id]: readonly string[]) =>
    `s.${time} ${operator.slice(0, 1)}= ${instant}
      and (s.${time}, s.package_name, s.first_purchase_id) ${operator} (${instant}, ${packageName}, ${id})`;
  const range = `${condition} and ${scope === undefined ? 'true' : `${scope.column} = ${scope.parameter}`}
    and ($1::text is null or s.package_name = $1) and ($2::text is null or s.buyer_id = $2)
    and s.expiry_time <= $3::bigint and ${compared(after, ['$4::bigint', '$5::text', '$6::text'])}`;
  const order = `order by s.${time} ${direction}, s.package_name ${direction}, s.first_purchase_id ${direction}`;
  return {
    scanEnd: statement({
      name: `select_scan_end_of_${name}`,
      text: `select s.${time} as time, s.package_name as "packageName", s.first_purchase_id as "firstPurchaseId"
        from subscription s where ${range} ${order} offset $7 limit 1`,
      row: Position,
    }),
    list: statement({
      name: `select_${name}`,
      text: `select ${subscriptionColumns} from subscription s
        where ${range} and ${compared(until, ['$7::bigint', '$8::text', '$9::text'])}
        and ($11::text is null or s.product_id = $11) and ($12::text is null or $12 = ${stateText})
        and ($13::bigint is null or s.next_payment_time < $13) ${order} limit $14`,
      row: SubscriptionRow,
    }),
  };
}

const appScope = { column: 's.package_name', parameter: '$1::text' };

// Served by subscription_by_start, subscription_of_app and subscription_buyer, backwards.
const byStart = {
  ofAll: listStatements({ name: 'subscriptions', time: 'first_start' }),
  ofApp: listStatements({ name: 'subscriptions_of_app', scope: appScope, time: 'first_start' }),
  ofBuyer: listStatements({
    name: 'subscriptions_of_buyer',
    scope: { column: 's.buyer_id', parameter: '$2::text' },
    time: 'first_start',
  }),
};

// Served by subscription_renewing and subscription_renewing_of_app.
const byPayment = {
  ofAll: listStatements({ name: 'payments', condition: 's.auto_renewing', time: 'expiry_time' }),
  ofApp: listStatements({
    name: 'payments_of_app',
    condition: 's.auto_renewing',
    scope: appScope,
    time: 'expiry_time',
  }),
};

const newest: Position = { time: timestampMax + 1, packageName: '', firstPurchaseId: '' };
const oldest: Position = { time: 0, packageName: '', firstPurchaseId: '' };

/** Whether a list is by expiryTime, earliest first, instead of by start, newest first. */
function isByPayment({ state, buyerId, nextPaymentBefore }: SubscriptionFilter): boolean {
  return buyerId === undefined && (state === 'payment_outstanding' || nextPaymentBefore !== undefined);
}

function statementsFor(filter: SubscriptionFilter) {
  if (filter.buyerId !== undefined) return byStart.ofBuyer;
  const statements = isByPayment(filter) ? byPayment : byStart;
  return filter.packageName === undefined ? statements.ofAll : statements.ofApp;
}

/** `next` is set while there may be more rows; a page may have fewer rows than its limit, even none. */
interface PageOfSubscriptions {
  readonly rows: readonly SubscriptionRow[];
  readonly next: Position | undefined;
}

/** A page of subscriptions; `now` is the instant at which they have the state of the filter. */
export async function listSubscriptions(
  queryable: Queryable,
  filter: SubscriptionFilter,
  page: { readonly after: Position | undefined; readonly limit: number; readonly now: number },
): Promise<PageOfSubscriptions> {
  const { packageName = null, buyerId = null, productId = null, state = null } = filter;
  const { nextPaymentBefore = null } = filter;
  const isPayments = isByPayment(filter);
  const [first, last] = isPayments ? [oldest, newest] : [newest, oldest];
  // No payment falls due before the end of the paid month.
  const expiryUntil = Math.min(
    state === 'payment_outstanding' ? page.now : timestampMax,
    nextPaymentBefore ?? timestampMax,
  );
  const { scanEnd, list } = statementsFor(filter);
  const range = [packageName, buyerId, expiryUntil, ...valuesOf(page.after ?? first)];
  const needsBound = productId !== null || state !== null || nextPaymentBefore !== null || buyerId !== null;
  const [end] = needsBound ? await queryable.rows(scanEnd, [...range, scannedRowsMax - 1]) : [];
  const filters = [page.now, productId, state, nextPaymentBefore, page.limit + 1];
  const rows = await queryable.rows(list, [...range, ...valuesOf(end ?? last), ...filters]);
  const listed = rows.slice(0, page.limit);
  const newestListed = rows.length > page.limit ? listed.at(-1) : undefined;
  return { rows: listed, next: newestListed === undefined ? end : positionOf(newestListed, isPayments) };
}

function valuesOf({ time, packageName, firstPurchaseId }: Position): unknown[] {
  return [time, packageName, firstPurchaseId];
}

function positionOf(row: SubscriptionRow, isPayments: boolean): Position {
  const { packageName, firstPurchaseId } = row;
  return { time: isPayments ? row.expiryTime : row.firstStart, packageName, firstPurchaseId };
}
