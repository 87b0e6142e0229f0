// Subscriptions, each identified by its first purchase id, and their months (rows of purchase).

import { CancelReason } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { PurchaseId } from '../../domain/identifiers.ts';
import type { RenewableSubscription } from '../../domain/subscriptions/renewal.ts';
import type { Subscription, SubscriptionMonth } from '../../domain/subscriptions/subscription.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../connection/statement.ts';
import { type PurchaseKey, PurchaseRow, purchaseColumns } from '../purchases/purchases.ts';
import { subscription } from '../tables/ledger.ts';
import { insertText, insertValues, rowShape, selectList, withoutColumns } from '../tables/table.ts';

const visibleSubscription = withoutColumns(subscription, 'openChargeTime', 'expiryTold');

const SubscriptionRow = rowShape(visibleSubscription);
export type SubscriptionRow = Static<typeof SubscriptionRow>;

export function subscriptionFromRow(row: SubscriptionRow): Subscription {
  return row as SubscriptionRow & Subscription;
}

const subscriptionColumns = selectList(visibleSubscription, 's');

export const LockedSubscription = rowShape(subscription);
/** A locked subscription, with when its open charge is retried and whether the event of its expiry is written. */
export type LockedSubscription = Static<typeof LockedSubscription>;

export function renewableFromRow(row: LockedSubscription): RenewableSubscription {
  return { ...subscriptionFromRow(row), openChargeTime: row.openChargeTime, isExpired: row.expiryTold };
}

export const lockedSubscriptionColumns = selectList(subscription, 's');

const MonthInSubscription = Type.Object({
  position: Type.Integer(),
  purchaseId: Type.String(),
  periodIndex: Type.Integer(),
  startTime: Type.Integer(),
  monthExpiryTime: Type.Integer(),
  voidedTime: nullable(Type.Integer()),
  voidReason: nullable(CancelReason),
  ...SubscriptionRow.properties,
});
/** A month with its subscription. */
export type MonthInSubscription = Static<typeof MonthInSubscription>;

export function monthFromRow(row: MonthInSubscription): SubscriptionMonth {
  return {
    purchaseId: row.purchaseId as PurchaseId,
    periodIndex: row.periodIndex,
    startTime: row.startTime,
    expiryTime: row.monthExpiryTime,
    price: row.price,
    developerPayload: row.developerPayload,
    voidedTime: row.voidedTime,
    voidReason: row.voidReason,
  };
}

// Served by the primary keys of purchase and subscription, once for each request.
const selectMonths = statement({
  name: 'select_months_in_subscription',
  text: `select request.position, p.purchase_id as "purchaseId", p.period_index as "periodIndex",
      p.start_time as "startTime", p.expiry_time as "monthExpiryTime", p.voided_time as "voidedTime",
      p.void_reason as "voidReason", ${subscriptionColumns}
    from unnest($1::text[], $2::text[]) with ordinality as request (package_name, purchase_id, position)
    join purchase p on p.package_name = request.package_name and p.purchase_id = request.purchase_id
    join subscription s on s.package_name = p.package_name and s.first_purchase_id = p.first_purchase_id
    where p.package_name = any($3::text[]) and s.package_name = any($3::text[])`,
  row: MonthInSubscription,
});

// Served by the primary key.
const lockSubscriptionRow = statement({
  name: 'lock_subscription',
  text: `select ${lockedSubscriptionColumns}
    from subscription s where s.package_name = $1 and s.first_purchase_id = $2 for no key update`,
  row: LockedSubscription,
});

// Served by the primary key.
const selectSubscription = statement({
  name: 'select_subscription',
  text: `select ${subscriptionColumns} from subscription s where s.package_name = $1 and s.first_purchase_id = $2`,
  row: SubscriptionRow,
});

// Served by purchase_period, in its order.
const selectMonthsOfSubscription = statement({
  name: 'select_months_of_subscription',
  text: `select ${purchaseColumns} from purchase p where p.package_name = $1 and p.first_purchase_id = $2
    order by p.period_index limit $3`,
  row: PurchaseRow,
});

const insertSubscriptionRow = statement({
  name: 'insert_subscription',
  text: insertText(visibleSubscription),
  row: NoRow,
});

const updateSubscriptionRow = statement({
  name: 'update_subscription',
  text: `update subscription set auto_renewing = $3, cancel_reason = $4, cancelled_time = $5, expiry_time = $6,
      next_payment_time = $7, terminated_time = $8,
      auto_payment_changed_by = case when auto_renewing <> $3 then $9 else auto_payment_changed_by end
    where package_name = $1 and first_purchase_id = $2 returning first_purchase_id as "firstPurchaseId"`,
  row: Type.Object({ firstPurchaseId: Type.String() }),
});

/** Reads a month with its subscription; concurrent reads share a statement. */
export function monthReader(
  database: Database,
): (key: PurchaseKey) => Promise<MonthInSubscription | undefined> {
  return coalesced({ batchMax: 100, inFlightMax: 2 }, async (keys: readonly PurchaseKey[]) => {
    const packageNames = keys.map((key) => key.packageName);
    const purchaseIds = keys.map((key) => key.purchaseId);
    const rows = await database.rows(selectMonths, [packageNames, purchaseIds, [...new Set(packageNames)]]);
    // Filled, because the loader rejects an array with fewer elements than keys.
    const months = new Array<MonthInSubscription | undefined>(keys.length).fill(undefined);
    for (const row of rows) months[row.position - 1] = row;
    return months;
  });
}

/** Reads and locks a subscription, the first lock of a transaction. */
export async function lockSubscription(
  transaction: Queryable,
  key: { packageName: string; firstPurchaseId: string },
): Promise<LockedSubscription | undefined> {
  return (await transaction.rows(lockSubscriptionRow, [key.packageName, key.firstPurchaseId]))[0];
}

export async function findSubscription(
  queryable: Queryable,
  key: { packageName: string; firstPurchaseId: string },
): Promise<SubscriptionRow | undefined> {
  return (await queryable.rows(selectSubscription, [key.packageName, key.firstPurchaseId]))[0];
}

/** The months of a subscription in order, at most `limit`. */
export function listMonths(
  queryable: Queryable,
  key: { packageName: string; firstPurchaseId: string },
  limit: number,
): Promise<PurchaseRow[]> {
  return queryable.rows(selectMonthsOfSubscription, [key.packageName, key.firstPurchaseId, limit]);
}

export async function insertSubscription(transaction: Queryable, row: SubscriptionRow): Promise<void> {
  await transaction.rows(insertSubscriptionRow, insertValues(visibleSubscription, row));
}

type SubscriptionChange = Pick<
  SubscriptionRow,
  'autoRenewing' | 'cancelReason' | 'cancelledTime' | 'expiryTime' | 'nextPaymentTime' | 'terminatedTime'
> & {
  /** Stored if auto-payment is switched on or off. */
  readonly changedBy: string;
};

/** Writes the mutable part of a subscription that the transaction has locked. */
export async function updateSubscription(
  transaction: Queryable,
  key: { packageName: string; firstPurchaseId: string },
  change: SubscriptionChange,
): Promise<void> {
  const rows = await transaction.rows(updateSubscriptionRow, [
    key.packageName,
    key.firstPurchaseId,
    change.autoRenewing,
    change.cancelReason,
    change.cancelledTime,
    change.expiryTime,
    change.nextPaymentTime,
    change.terminatedTime,
    change.changedBy,
  ]);
  if (rows.length !== 1) throw new Error('A locked subscription could not be updated.');
}
