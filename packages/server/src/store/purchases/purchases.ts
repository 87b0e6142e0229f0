// Reads and locks single purchases; the read of the purchase API shares statements.

import Type, { type Static } from 'typebox';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { nullable, statement, textArray } from '../connection/statement.ts';
import { purchase } from '../tables/ledger.ts';
import { rowShape, selectList, withoutColumns } from '../tables/table.ts';

/** Names one purchase in the whole environment. */
export interface PurchaseKey {
  readonly packageName: string;
  readonly purchaseId: string;
}

const shownPurchase = withoutColumns(purchase, 'voidOrder');

export const PurchaseRow = rowShape(shownPurchase);
/** A purchase; the last four are null unless it is a month of a subscription. */
export type PurchaseRow = Static<typeof PurchaseRow>;

export const purchaseColumns = selectList(shownPurchase, 'p');

const PurchaseState = Type.Object({
  position: Type.Integer(),
  productId: Type.String(),
  purchaseTime: Type.Integer(),
  developerPayload: Type.String(),
  consumedTime: nullable(Type.Integer()),
  voidedTime: nullable(Type.Integer()),
  firstPurchaseId: nullable(Type.String()),
});
/** The part of a purchase that the purchase API shows of a one-time product. */
export type PurchaseState = Omit<Static<typeof PurchaseState>, 'position'>;

function purchaseStateOfColumns(columns: readonly unknown[]) {
  const [position, productId, purchaseTime, developerPayload, consumedTime, voidedTime, firstPurchaseId] =
    columns;
  return {
    position,
    productId,
    purchaseTime,
    developerPayload,
    consumedTime,
    voidedTime,
    firstPurchaseId,
  };
}

// Served by the primary key of purchase, once for each request.
const purchaseStatesText = `select request.position, p.product_id as "productId",
    p.purchase_time as "purchaseTime", p.developer_payload as "developerPayload",
    p.consumed_time as "consumedTime", p.voided_time as "voidedTime", p.first_purchase_id as "firstPurchaseId"
  from unnest($1::text[], $2::text[]) with ordinality as request (package_name, purchase_id, position)
  join purchase p on p.package_name = request.package_name and p.purchase_id = request.purchase_id`;

const selectPurchaseStates = statement({
  name: 'select_purchase_states',
  text: purchaseStatesText,
  row: PurchaseState,
  ofColumns: purchaseStateOfColumns,
});

// Repeats the package names, so that a cluster visits only their shards. Served by the primary key of purchase.
const selectPurchaseStatesOfShards = statement({
  name: 'select_purchase_states_of_shards',
  text: `${purchaseStatesText} where p.package_name = any($3::text[])`,
  row: PurchaseState,
  ofColumns: purchaseStateOfColumns,
});

// Served by the primary key.
const selectPurchase = statement({
  name: 'select_purchase',
  text: `select ${purchaseColumns} from purchase p where p.package_name = $1 and p.purchase_id = $2`,
  row: PurchaseRow,
});

// Served by purchase_order_id.
const selectPurchaseByOrder = statement({
  name: 'select_purchase_by_order',
  text: `select ${purchaseColumns} from purchase p where p.package_name = $1 and p.order_id = $2`,
  row: PurchaseRow,
});

// Served by the primary key.
const lockPurchaseRow = statement({
  name: 'lock_purchase',
  text: `select ${purchaseColumns} from purchase p where p.package_name = $1 and p.purchase_id = $2 for no key update`,
  row: PurchaseRow,
});

/** Requests that share one read, and reads in flight at once (docs/decisions/shared-statements.md). */
const readLimits = { batchMax: 100, inFlightMax: 3 } as const;

/** Reads one purchase by its key, sharing a statement with the reads around it. */
export function purchaseStateReader(
  database: Database,
): (key: PurchaseKey) => Promise<PurchaseState | undefined> {
  return coalesced(readLimits, async (keys: readonly PurchaseKey[]) => {
    const packageNames = keys.map((key) => key.packageName);
    const values = [textArray(packageNames), textArray(keys.map((key) => key.purchaseId))];
    const rows = database.isDistributed
      ? await database.rows(selectPurchaseStatesOfShards, [...values, textArray([...new Set(packageNames)])])
      : await database.rows(selectPurchaseStates, values);
    // Filled, since a loader rejects an array whose last element was never set.
    const states = new Array<PurchaseState | undefined>(keys.length).fill(undefined);
    // WITH ORDINALITY counts from 1.
    for (const row of rows) states[row.position - 1] = row;
    return states;
  });
}

export async function findPurchase(
  queryable: Queryable,
  { packageName, purchaseId }: PurchaseKey,
): Promise<PurchaseRow | undefined> {
  return (await queryable.rows(selectPurchase, [packageName, purchaseId]))[0];
}

export async function findPurchaseByOrder(
  queryable: Queryable,
  { packageName, orderId }: { packageName: string; orderId: string },
): Promise<PurchaseRow | undefined> {
  return (await queryable.rows(selectPurchaseByOrder, [packageName, orderId]))[0];
}

/** Reads a purchase and locks its row until the transaction ends. */
export async function lockPurchase(
  transaction: Queryable,
  { packageName, purchaseId }: PurchaseKey,
): Promise<PurchaseRow | undefined> {
  return (await transaction.rows(lockPurchaseRow, [packageName, purchaseId]))[0];
}
