// Inserts purchases: one-time purchases in batches, the first month of a subscription on its own
// (docs/decisions/recording-purchases.md).

import Type from 'typebox';
import type { Database, Queryable } from '../connection/database.ts';
import { lockTimeouts } from '../connection/shared-writes.ts';
import { statement } from '../connection/statement.ts';
import { appendedEventsText, type CallAuthor } from '../events/events.ts';
import { purchase as purchaseTable } from '../tables/ledger.ts';
import { insertText, insertValues, withoutColumns } from '../tables/table.ts';
import type { PurchaseRow } from './purchases.ts';

/** A purchase that is inserted if its product is a one-time product. */
export interface NewPurchase
  extends Pick<
      PurchaseRow,
      'packageName' | 'purchaseId' | 'productId' | 'orderId' | 'buyerId' | 'purchaseTime' | 'developerPayload'
    >,
    CallAuthor {
  /** Null for the price of the product. */
  readonly price: number | null;
  /** The app's instant of the event, ms. */
  readonly eventTime: number;
}

const RecordedRow = Type.Object({
  position: Type.Integer(),
  price: Type.Integer(),
  currency: Type.String(),
});

// Served by the primary keys of app, product, app_counter and event. Rows are inserted in the order of the primary key, and
// counters are locked last. Waits for the transaction of a row with the same id or order id.
const insertOneTimePurchases = statement({
  name: 'insert_one_time_purchases',
  text: `
  with request as (
    select r.*, row_number() over (partition by r.package_name, r.purchase_id order by r.position) as nth
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[],
        $9::bigint[], $10::text[], $11::text[], $12::text[]) with ordinality
      as r (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time, developer_payload, price,
        event_time, made_by, request_id, client_address, position)
    cross join (select set_config('lock_timeout', $14, true)) as lock_timeout
  ), inserted as (
    insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time,
      developer_payload, price, currency, recorded_by, recorded_from, recorded_request_id)
    select r.package_name, r.purchase_id, r.product_id, r.order_id, r.buyer_id, r.purchase_time,
      r.developer_payload, coalesce(r.price, product.price), product.currency, r.made_by, r.client_address,
      r.request_id
    from request r
    join product on product.package_name = r.package_name and product.product_id = r.product_id
    join app on app.package_name = r.package_name
    where r.nth = 1 and product.type = 'one_time' and app.disabled_at is null and product.package_name = any($13::text[])
    order by r.package_name, r.purchase_id
    on conflict do nothing
    returning package_name, purchase_id, price, currency
  ), changed as (
    select r.*, inserted.price as recorded_price, inserted.currency
    from inserted join request r using (package_name, purchase_id)
    where r.nth = 1
  ), ${appendedEventsText({ type: 'purchase.completed', packageNames: '$13' })}
  select position, recorded_price as price, currency from changed`,
  row: RecordedRow,
});

// The same for purchases of one app, as one call on its node (0001_baseline.sql).
const recordOnCluster = statement({
  name: 'record_on_cluster',
  text: `select * from record_purchases_v1($1, $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
    $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13)`,
  row: RecordedRow,
});

const recordedPurchase = withoutColumns(
  purchaseTable,
  'consumedTime',
  'voidedTime',
  'voidOrder',
  'voidReason',
  'voidedBy',
);

// Waits for the transaction of a row with the same id or order id, which is kept. Served by the unique indexes.
const insertPurchaseRow = statement({
  name: 'insert_purchase',
  text: `${insertText(recordedPurchase)} on conflict do nothing returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/**
 * Inserts purchases of one-time products with their events; on a cluster, those of one app. Returns each in the order of
 * the requests: undefined, with nothing written, where the id or the order id is taken, the app is disabled, or the app
 * does not have the one-time product.
 */
export async function insertOneTime(
  database: Database,
  purchases: readonly NewPurchase[],
): Promise<(PurchaseRow | undefined)[]> {
  const packageNames = purchases.map((purchase) => purchase.packageName);
  const columns = [
    purchases.map((purchase) => purchase.purchaseId),
    purchases.map((purchase) => purchase.productId),
    purchases.map((purchase) => purchase.orderId),
    purchases.map((purchase) => purchase.buyerId),
    purchases.map((purchase) => purchase.purchaseTime),
    purchases.map((purchase) => purchase.developerPayload),
    purchases.map((purchase) => purchase.price),
    purchases.map((purchase) => purchase.eventTime),
    purchases.map((purchase) => purchase.madeBy),
    purchases.map((purchase) => purchase.requestId),
    purchases.map((purchase) => purchase.clientAddress),
  ];
  const lockTimeout = String(lockTimeouts.sharedMs);
  const rows = database.isDistributed
    ? await database.rows(recordOnCluster, [packageNames[0], ...columns, lockTimeout])
    : await database.rows(insertOneTimePurchases, [
        packageNames,
        ...columns,
        [...new Set(packageNames)],
        lockTimeout,
      ]);
  const inserted = new Map(rows.map((row) => [row.position, row]));
  return purchases.map(({ eventTime, madeBy, requestId, clientAddress, ...purchase }, index) => {
    // WITH ORDINALITY counts from 1.
    const row = inserted.get(index + 1);
    if (row === undefined) return undefined;
    const { price, currency } = row;
    const recordedWith = recordedColumns({ madeBy, requestId, clientAddress });
    return { ...newPurchaseState, ...purchase, ...recordedWith, price, currency };
  });
}

/** The state of a new purchase. */
export const newPurchaseState = {
  consumedTime: null,
  voidedTime: null,
  voidReason: null,
  firstPurchaseId: null,
  periodIndex: null,
  startTime: null,
  expiryTime: null,
  voidedBy: null,
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
