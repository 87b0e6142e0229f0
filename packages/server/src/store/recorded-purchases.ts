// The recording of a purchase: the one place where a row of purchase begins.

import Type from 'typebox';
import type { Queryable } from './database.ts';
import type { PurchaseRow } from './purchases.ts';
import { statement } from './statement.ts';

// A row with the same id or the same order is waited for while its transaction is open, and then stands.
const insertPurchaseRow = statement({
  name: 'insert_purchase',
  text: `insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time,
      developer_payload, price, currency, first_purchase_id, period_index, start_time, expiry_time)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    on conflict do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** False, with nothing written, when the app has a purchase with this id or this order. */
export async function insertPurchase(transaction: Queryable, purchase: PurchaseRow): Promise<boolean> {
  const rows = await transaction.rows(insertPurchaseRow, [
    purchase.packageName,
    purchase.purchaseId,
    purchase.productId,
    purchase.orderId,
    purchase.buyerId,
    purchase.purchaseTime,
    purchase.developerPayload,
    purchase.price,
    purchase.currency,
    purchase.firstPurchaseId,
    purchase.periodIndex,
    purchase.startTime,
    purchase.expiryTime,
  ]);
  return rows.length > 0;
}
