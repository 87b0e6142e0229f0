// What renewals write: months by the block, and the subscriptions that they belong to.

import Type from 'typebox';
import type { Queryable } from './database.ts';
import type { PurchaseRow } from './purchases.ts';
import { NoRow, statement } from './statement.ts';
import type { SubscriptionRow } from './subscriptions.ts';

// A row with the same id is waited for while its transaction is open, and then stands.
const insertMonthRows = statement({
  name: 'insert_months',
  text: `insert into purchase (package_name, purchase_id, product_id, buyer_id, purchase_time, developer_payload,
      price, currency, first_purchase_id, period_index, start_time, expiry_time)
    select $1, m.* from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[],
      $8::text[], $9::text[], $10::integer[], $11::bigint[], $12::bigint[]) as m
    on conflict (package_name, purchase_id) do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

// Served by the primary key.
const updateSubscriptionRows = statement({
  name: 'update_renewed_subscriptions',
  text: `update subscription s set auto_renewing = r.auto_renewing, cancel_reason = r.cancel_reason,
      cancelled_time = r.cancelled_time, expiry_time = r.expiry_time, next_payment_time = r.next_payment_time,
      last_period_index = r.last_period_index, last_purchase_id = r.last_purchase_id,
      last_start_time = r.last_start_time, expiry_told = r.expiry_told, open_charge_time = null
    from unnest($2::text[], $3::boolean[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::integer[],
        $9::text[], $10::bigint[], $11::boolean[])
      as r (first_purchase_id, auto_renewing, cancel_reason, cancelled_time, expiry_time, next_payment_time,
        last_period_index, last_purchase_id, last_start_time, expiry_told)
    where s.package_name = $1 and s.first_purchase_id = r.first_purchase_id`,
  row: NoRow,
});

/** Inserts months; gives the ids of those that are now there. An id that the app has already is passed over. */
export async function insertMonths(
  transaction: Queryable,
  packageName: string,
  months: readonly PurchaseRow[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.rows(insertMonthRows, [
    packageName,
    months.map((month) => month.purchaseId),
    months.map((month) => month.productId),
    months.map((month) => month.buyerId),
    months.map((month) => month.purchaseTime),
    months.map((month) => month.developerPayload),
    months.map((month) => month.price),
    months.map((month) => month.currency),
    months.map((month) => month.firstPurchaseId),
    months.map((month) => month.periodIndex),
    months.map((month) => month.startTime),
    months.map((month) => month.expiryTime),
  ]);
  return new Set(rows.map((row) => row.purchaseId));
}

/** A subscription after a renewal, a failed payment or its expiry; no attempt is open then. */
export type RenewedSubscription = Pick<
  SubscriptionRow,
  | 'firstPurchaseId'
  | 'autoRenewing'
  | 'cancelReason'
  | 'cancelledTime'
  | 'expiryTime'
  | 'nextPaymentTime'
  | 'lastPeriodIndex'
  | 'lastPurchaseId'
  | 'lastStartTime'
> & { readonly expiryTold: boolean };

/** Writes subscriptions that the transaction holds. */
export async function updateRenewedSubscriptions(
  transaction: Queryable,
  packageName: string,
  rows: readonly RenewedSubscription[],
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.rows(updateSubscriptionRows, [
    packageName,
    rows.map((row) => row.firstPurchaseId),
    rows.map((row) => row.autoRenewing),
    rows.map((row) => row.cancelReason),
    rows.map((row) => row.cancelledTime),
    rows.map((row) => row.expiryTime),
    rows.map((row) => row.nextPaymentTime),
    rows.map((row) => row.lastPeriodIndex),
    rows.map((row) => row.lastPurchaseId),
    rows.map((row) => row.lastStartTime),
    rows.map((row) => row.expiryTold),
  ]);
}
