// Subscriptions, each identified by its first purchase id, and their periods (rows of purchase).

import { CancelReason } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { PurchaseId } from '../../domain/identifiers.ts';
import type { RenewableSubscription } from '../../domain/subscriptions/renewal.ts';
import type { PaidPeriod, Subscription } from '../../domain/subscriptions/subscription.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { type PurchaseKey, packageNameOf } from '../purchases/purchases.ts';
import { NoRow, nullable, statement } from '../statements/statement.ts';
import {
  arrayParameters,
  columnArrays,
  columnNames,
  insertText,
  insertValues,
  pick,
  type RowOf,
  rowShape,
  selectList,
  setList,
  type Table,
} from '../statements/table.ts';
import { subscription } from '../tables/ledger.ts';

export const SubscriptionRow = rowShape(subscription);
export type SubscriptionRow = Static<typeof SubscriptionRow>;

export const subscriptionColumns = selectList(subscription, 's');

const newSubscription = pick(
  subscription,
  'firstPurchaseId',
  'productId',
  'firstStartTime',
  'timeZone',
  'anchorTime',
  'anchorIndex',
  'period',
  'firstPeriod',
  'price',
  'renewalPrice',
  'currency',
  'developerPayload',
  'buyerId',
  'autoRenewing',
  'cancelReason',
  'cancelledTime',
  'consent',
  'expiryTime',
  'nextPaymentTime',
  'lastPeriodIndex',
  'lastPurchaseId',
  'lastStartTime',
  'terminatedTime',
);
export type NewSubscription = RowOf<typeof newSubscription>;

export function subscriptionFromRow(row: NewSubscription): Subscription {
  return row as NewSubscription & Subscription;
}

export function renewableFromRow(row: SubscriptionRow): RenewableSubscription {
  return {
    ...subscriptionFromRow(row),
    openChargeTime: row.openChargeTime,
    isExpired: row.expiryEventWritten,
  };
}

const PeriodInSubscription = Type.Object({
  position: Type.Integer(),
  purchaseId: Type.String(),
  periodIndex: Type.Integer(),
  startTime: Type.Integer(),
  periodExpiryTime: Type.Integer(),
  periodPrice: Type.Integer(),
  periodPayload: Type.String(),
  voidedTime: nullable(Type.Integer()),
  voidReason: nullable(CancelReason),
  ...SubscriptionRow.properties,
});
/** A period with its subscription. */
export type PeriodInSubscription = Static<typeof PeriodInSubscription>;

export function periodFromRow(row: PeriodInSubscription): PaidPeriod {
  return {
    purchaseId: row.purchaseId as PurchaseId,
    periodIndex: row.periodIndex,
    startTime: row.startTime,
    expiryTime: row.periodExpiryTime,
    price: row.periodPrice,
    developerPayload: row.periodPayload,
    voidedTime: row.voidedTime,
    voidReason: row.voidReason,
  };
}

// Served by the primary keys of purchase and subscription, once for each request.
const selectPeriods = statement({
  name: 'select_periods_in_subscription',
  text: `select request.position, p.purchase_id as "purchaseId", p.period_index as "periodIndex",
      p.start_time as "startTime", p.expiry_time as "periodExpiryTime", p.price as "periodPrice",
      p.developer_payload as "periodPayload", p.voided_time as "voidedTime",
      p.void_reason as "voidReason", ${subscriptionColumns}
    from unnest($1::text[], $2::text[]) with ordinality as request (package_name, purchase_id, position)
    join purchase p on p.package_name = request.package_name and p.purchase_id = request.purchase_id
    join subscription s on s.package_name = p.package_name and s.first_purchase_id = p.first_purchase_id
    where p.package_name = any($3::text[]) and s.package_name = any($3::text[])`,
  row: PeriodInSubscription,
});

// Served by the primary key.
const selectSubscription = statement({
  name: 'select_subscription',
  text: `select ${subscriptionColumns} from subscription s where s.package_name = $1 and s.first_purchase_id = $2`,
  row: SubscriptionRow,
});

const insertSubscriptionRow = statement({
  name: 'insert_subscription',
  text: insertText(newSubscription),
  row: NoRow,
});

/**
 * SQL that writes a part of subscriptions; $2 is stored where auto-payment is switched on or off, or a cancel withdraws from
 * consent. Served by the primary key.
 */
export function updateText(part: Pick<Table, 'key' | 'columns'>): string {
  return `update subscription s set ${setList(part, 'c')},
      auto_payment_changed_by = case
        when s.auto_renewing <> c.auto_renewing or (s.consent = 'awaited' and c.consent = 'withdrawn') then $2
        else s.auto_payment_changed_by end
    from unnest(${arrayParameters(part, 3)}) as c (${columnNames(part)})
    where s.package_name = $1 and s.first_purchase_id = c.first_purchase_id`;
}

const changed = pick(
  subscription,
  'firstPurchaseId',
  'renewalPrice',
  'autoRenewing',
  'cancelReason',
  'cancelledTime',
  'consent',
  'expiryTime',
  'nextPaymentTime',
  'terminatedTime',
  'anchorTime',
  'anchorIndex',
);

const updateSubscriptionRows = statement({
  name: 'update_subscriptions',
  text: `${updateText(changed)} returning ${subscriptionColumns}`,
  row: SubscriptionRow,
});

// Served by the primary key.
const updateEndOfPeriod = statement({
  name: 'update_end_of_period',
  text: `update purchase set expiry_time = $3 where package_name = $1 and purchase_id = $2
    returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** Reads a period with its subscription; concurrent reads share a statement. */
export function periodReader(
  database: Database,
): (key: PurchaseKey) => Promise<PeriodInSubscription | undefined> {
  const limits = { batchMax: 100, inFlightMax: 2, packageNameOf };
  return coalesced(database, limits, async (keys: readonly PurchaseKey[]) => {
    const packageNames = keys.map((key) => key.packageName);
    const purchaseIds = keys.map((key) => key.purchaseId);
    const rows = await database.rows(selectPeriods, [packageNames, purchaseIds, [...new Set(packageNames)]]);
    // Filled, because the loader rejects an array with fewer elements than keys.
    const periods = new Array<PeriodInSubscription | undefined>(keys.length).fill(undefined);
    for (const row of rows) periods[row.position - 1] = row;
    return periods;
  });
}

export async function findSubscription(
  queryable: Queryable,
  key: { packageName: string; firstPurchaseId: string },
): Promise<SubscriptionRow | undefined> {
  return (await queryable.rows(selectSubscription, [key.packageName, key.firstPurchaseId]))[0];
}

export async function insertSubscription(transaction: Queryable, row: NewSubscription): Promise<void> {
  await transaction.rows(insertSubscriptionRow, insertValues(newSubscription, row));
}

/** The id of a subscription and its mutable part. */
type SubscriptionChange = Omit<RowOf<typeof changed>, 'packageName'>;

/** Writes a subscription that the transaction has locked; `changedBy` is stored if auto-payment is switched on or off. */
export async function updateSubscription(
  transaction: Queryable,
  packageName: string,
  { change, changedBy }: { readonly change: SubscriptionChange; readonly changedBy: string },
): Promise<SubscriptionRow> {
  const values = [packageName, changedBy, ...columnArrays(changed, [change])];
  const [updated] = await transaction.rows(updateSubscriptionRows, values);
  if (updated === undefined) throw new Error('A locked subscription could not be updated.');
  return updated;
}

/** Moves the end of a period whose subscription the transaction has locked. */
export async function moveEndOfPeriod(
  transaction: Queryable,
  { packageName, purchaseId, expiryTime }: PurchaseKey & { readonly expiryTime: number },
): Promise<void> {
  const moved = await transaction.rows(updateEndOfPeriod, [packageName, purchaseId, expiryTime]);
  if (moved.length !== 1) throw new Error('A locked subscription has no newest period.');
}
