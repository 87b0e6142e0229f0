// Writes the periods of many renewals and their subscriptions.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import type { PurchaseRow } from '../purchases/purchases.ts';
import { NoRow, statement } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, pick, type RowOf } from '../statements/table.ts';
import { purchase, subscription } from '../tables/ledger.ts';
import { updateText } from './subscriptions.ts';

const newPeriod = pick(
  purchase,
  'purchaseId',
  'productId',
  'buyerId',
  'purchaseTime',
  'developerPayload',
  'price',
  'currency',
  'firstPurchaseId',
  'periodIndex',
  'startTime',
  'expiryTime',
  'recordedBy',
  'recordedFrom',
  'recordedRequestId',
);

const renewed = pick(
  subscription,
  'firstPurchaseId',
  'autoRenewing',
  'cancelReason',
  'cancelledTime',
  'consent',
  'expiryTime',
  'nextPaymentTime',
  'lastPeriodIndex',
  'lastPurchaseId',
  'lastStartTime',
  'openChargeTime',
  'expiryEventWritten',
);

// Waits for a concurrent insert with the same id, which then wins.
const insertPeriodRows = statement({
  name: 'insert_periods',
  text: `insert into purchase (package_name, ${columnNames(newPeriod)})
    select $1, m.* from unnest(${arrayParameters(newPeriod, 2)}) as m
    on conflict (package_name, purchase_id) do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

const updateSubscriptionRows = statement({
  name: 'update_renewed_subscriptions',
  text: updateText(renewed),
  row: NoRow,
});

/** Inserts periods and returns their ids, without those of purchases that exist. */
export async function insertPeriods(
  transaction: Queryable,
  packageName: string,
  periods: readonly PurchaseRow[],
): Promise<string[]> {
  const rows = await transaction.rows(insertPeriodRows, [packageName, ...columnArrays(newPeriod, periods)]);
  return rows.map((row) => row.purchaseId);
}

/** A subscription after a renewal, a failed payment or its expiry. */
export type RenewedSubscription = Omit<RowOf<typeof renewed>, 'packageName'>;

/** Writes subscriptions that the transaction has locked. */
export async function updateRenewedSubscriptions(
  transaction: Queryable,
  packageName: string,
  { rows, changedBy }: { readonly rows: readonly RenewedSubscription[]; readonly changedBy: string },
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.rows(updateSubscriptionRows, [packageName, changedBy, ...columnArrays(renewed, rows)]);
}
