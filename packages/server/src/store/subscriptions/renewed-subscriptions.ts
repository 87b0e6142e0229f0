// What renewals write: months by the block, and the subscriptions that they belong to.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import type { PurchaseRow } from '../purchases/purchases.ts';
import { purchase, subscription } from '../tables/ledger.ts';
import { arrayParameters, columnArrays, columnNames, type RowOf, withoutColumns } from '../tables/table.ts';

const newMonth = withoutColumns(purchase, 'orderId', 'consumedTime', 'voidedTime', 'voidOrder', 'voidReason');

const renewal = withoutColumns(
  subscription,
  'productId',
  'firstStart',
  'timeZone',
  'price',
  'currency',
  'developerPayload',
  'buyerId',
  'terminatedTime',
);

// A row with the same id is waited for while its transaction is open, and then stands.
const insertMonthRows = statement({
  name: 'insert_months',
  text: `insert into purchase (package_name, ${columnNames(newMonth)})
    select $1, m.* from unnest(${arrayParameters(newMonth, 2)}) as m
    on conflict (package_name, purchase_id) do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

// Served by the primary key.
const updateSubscriptionRows = statement({
  name: 'update_renewed_subscriptions',
  text: `update subscription s set auto_renewing = r.auto_renewing, cancel_reason = r.cancel_reason,
      cancelled_time = r.cancelled_time, expiry_time = r.expiry_time, next_payment_time = r.next_payment_time,
      last_period_index = r.last_period_index, last_purchase_id = r.last_purchase_id,
      last_start_time = r.last_start_time, expiry_told = r.expiry_told, open_charge_time = r.open_charge_time
    from unnest(${arrayParameters(renewal, 2)}) as r (${columnNames(renewal)})
    where s.package_name = $1 and s.first_purchase_id = r.first_purchase_id`,
  row: NoRow,
});

/** Inserts months; gives the ids of those that are now there. An id that the app has already is passed over. */
export async function insertMonths(
  transaction: Queryable,
  packageName: string,
  months: readonly PurchaseRow[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.rows(insertMonthRows, [packageName, ...columnArrays(newMonth, months)]);
  return new Set(rows.map((row) => row.purchaseId));
}

/** A subscription after a renewal, a failed payment or its expiry. */
export type RenewedSubscription = Omit<RowOf<typeof renewal>, 'packageName'>;

/** Writes subscriptions that the transaction holds. */
export async function updateRenewedSubscriptions(
  transaction: Queryable,
  packageName: string,
  rows: readonly RenewedSubscription[],
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.rows(updateSubscriptionRows, [packageName, ...columnArrays(renewal, rows)]);
}
