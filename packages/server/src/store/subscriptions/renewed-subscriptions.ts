// Writes the months of many renewals and their subscriptions.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import type { PurchaseRow } from '../purchases/purchases.ts';
import { purchase, subscription } from '../tables/ledger.ts';
import { arrayParameters, columnArrays, columnNames, type RowOf, withoutColumns } from '../tables/table.ts';

const newMonth = withoutColumns(
  purchase,
  'orderId',
  'consumedTime',
  'voidedTime',
  'voidOrder',
  'voidReason',
  'voidedBy',
);

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
  'autoPaymentChangedBy',
  'erasedAt',
);

// Waits for a concurrent insert with the same id, which then wins.
const insertMonthRows = statement({
  name: 'insert_months',
  text: `insert into purchase (package_name, ${columnNames(newMonth)})
    select $1, m.* from unnest(${arrayParameters(newMonth, 2)}) as m
    on conflict (package_name, purchase_id) do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

const changedByParameter = 2 + Object.keys(renewal.columns).length;

// Served by the primary key.
const updateSubscriptionRows = statement({
  name: 'update_renewed_subscriptions',
  text: `update subscription s set auto_renewing = r.auto_renewing, cancel_reason = r.cancel_reason,
      cancelled_time = r.cancelled_time, expiry_time = r.expiry_time, next_payment_time = r.next_payment_time,
      last_period_index = r.last_period_index, last_purchase_id = r.last_purchase_id,
      last_start_time = r.last_start_time, expiry_told = r.expiry_told, open_charge_time = r.open_charge_time,
      auto_payment_changed_by =
        case when s.auto_renewing <> r.auto_renewing then $${changedByParameter} else s.auto_payment_changed_by end
    from unnest(${arrayParameters(renewal, 2)}) as r (${columnNames(renewal)})
    where s.package_name = $1 and s.first_purchase_id = r.first_purchase_id`,
  row: NoRow,
});

/** Inserts months and returns their ids, without those of purchases that exist. */
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

/** Writes subscriptions that the transaction has locked. */
export async function updateRenewedSubscriptions(
  transaction: Queryable,
  packageName: string,
  { rows, changedBy }: { readonly rows: readonly RenewedSubscription[]; readonly changedBy: string },
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.rows(updateSubscriptionRows, [packageName, ...columnArrays(renewal, rows), changedBy]);
}
