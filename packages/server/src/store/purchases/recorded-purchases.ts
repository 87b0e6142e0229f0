// Inserts purchases: one-time purchases in batches, the first period of a subscription on its own
// (docs/decisions/purchases.md).

import Type from 'typebox';
import { purchaseTimeAheadMsMax } from '../../domain/purchases/purchase.ts';
import type { DatedStore } from '../clocks/store-clock.ts';
import type { Queryable } from '../connection/database.ts';
import { lockTimeouts } from '../connection/shared-writes.ts';
import type { CallAuthor } from '../events/events.ts';
import { statement } from '../statements/statement.ts';
import { insertText, insertValues, withoutColumns } from '../statements/table.ts';
import { purchase as purchaseTable } from '../tables/ledger.ts';
import type { PurchaseRow } from './purchases.ts';

/** A purchase that is inserted if its product is a one-time product. */
export interface NewPurchase
  extends Pick<
      PurchaseRow,
      'packageName' | 'purchaseId' | 'productId' | 'orderId' | 'buyerId' | 'developerPayload' | 'consumedBy'
    >,
    CallAuthor {
  /** Null for the price of the product. */
  readonly price: number | null;
  /** Null for now. */
  readonly purchaseTime: number | null;
  /** Consumed on the device, at the time of the purchase. */
  readonly isConsumed: boolean;
}

const RecordedRow = Type.Object({
  position: Type.Integer(),
  price: Type.Integer(),
  currency: Type.String(),
  purchaseTime: Type.Integer(),
});

// Served by the primary keys of app, product, app_counter and event. Waits for the transaction of a row with the same id or
// order id (0001_baseline.sql).
const recordPurchases = statement({
  name: 'record_purchases',
  text: `select * from
    record_purchases_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
  row: RecordedRow,
});

const recordedPurchase = withoutColumns(
  purchaseTable,
  'voidedTime',
  'voidOrder',
  'voidReason',
  'voidCause',
  'refundAmount',
  'voidedBy',
  'erasedAt',
);

// Waits for the transaction of a row with the same id or order id, which is kept. Served by the unique indexes.
const insertPurchaseRow = statement({
  name: 'insert_purchase',
  text: `${insertText(recordedPurchase)} on conflict do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/**
 * Inserts purchases of one-time products with their events; on a cluster, those of one app. Returns each in the order of
 * the requests: undefined, with nothing written, where the id or the order id is taken, the time is too far ahead, the app
 * is disabled, or the app does not have the one-time product.
 */
export async function insertOneTime(
  { database, clock }: DatedStore,
  purchases: readonly NewPurchase[],
): Promise<(PurchaseRow | undefined)[]> {
  const rows = await database.rows(recordPurchases, [
    purchases[0]?.packageName,
    purchases.map((purchase) => purchase.packageName),
    purchases.map((purchase) => purchase.purchaseId),
    purchases.map((purchase) => purchase.productId),
    purchases.map((purchase) => purchase.orderId),
    purchases.map((purchase) => purchase.buyerId),
    purchases.map((purchase) => purchase.purchaseTime),
    purchases.map((purchase) => purchase.developerPayload),
    purchases.map((purchase) => purchase.price),
    purchases.map((purchase) => purchase.isConsumed),
    purchases.map((purchase) => purchase.consumedBy),
    purchases.map((purchase) => purchase.madeBy),
    purchases.map((purchase) => purchase.requestId),
    purchases.map((purchase) => purchase.clientAddress),
    clock.floor,
    purchaseTimeAheadMsMax,
    String(lockTimeouts.sharedMs),
  ]);
  const inserted = new Map(rows.map((row) => [row.position, row]));
  return purchases.map(({ isConsumed, madeBy, requestId, clientAddress, ...purchase }, index) => {
    // WITH ORDINALITY counts from 1.
    const row = inserted.get(index + 1);
    if (row === undefined) return undefined;
    const { price, currency, purchaseTime } = row;
    const consumedTime = isConsumed ? purchaseTime : null;
    const recordedWith = recordedColumns({ madeBy, requestId, clientAddress });
    return { ...newPurchaseState, ...purchase, ...recordedWith, price, currency, purchaseTime, consumedTime };
  });
}

/** The state of a new purchase. */
export const newPurchaseState = {
  consumedTime: null,
  consumedBy: null,
  voidedTime: null,
  voidReason: null,
  voidCause: null,
  refundAmount: null,
  firstPurchaseId: null,
  periodIndex: null,
  startTime: null,
  expiryTime: null,
  voidedBy: null,
  erasedAt: null,
  isImported: false,
} as const;

/** The columns of the call that recorded a purchase. */
export function recordedColumns({ madeBy, requestId, clientAddress }: CallAuthor) {
  return { recordedBy: madeBy, recordedFrom: clientAddress, recordedRequestId: requestId };
}

/** Returns false, with nothing written, if the app has a purchase with this id or order id. */
export async function insertPurchase(transaction: Queryable, purchase: PurchaseRow): Promise<boolean> {
  const rows = await transaction.rows(insertPurchaseRow, insertValues(recordedPurchase, purchase));
  return rows.length > 0;
}
