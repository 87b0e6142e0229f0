// Reads and locks single purchases.

import Type, { type Static } from 'typebox';
import type { PurchaseId } from '../../domain/identifiers.ts';
import type { Purchase } from '../../domain/purchases/purchase.ts';
import type { SubscriptionMonth } from '../../domain/subscriptions/subscription.ts';
import { coalescedByShard } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { nullable, statement, textArray } from '../connection/statement.ts';
import { purchase } from '../tables/ledger.ts';
import { rowShape, selectList, withoutColumns } from '../tables/table.ts';

/** Identifies a purchase in the environment. */
export interface PurchaseKey {
  readonly packageName: string;
  readonly purchaseId: string;
}

const visiblePurchase = withoutColumns(purchase, 'voidOrder');

export const PurchaseRow = Type.Object({
  ...rowShape(visiblePurchase).properties,
  isImported: Type.Boolean(),
});
/** A purchase; the four columns of a month are null unless it is one. */
export type PurchaseRow = Static<typeof PurchaseRow>;

export function purchaseFromRow(row: PurchaseRow): Purchase {
  const kind = row.firstPurchaseId === null ? 'one_time' : 'subscription';
  return { ...(row as PurchaseRow & Omit<Purchase, 'kind'>), kind };
}

/** Throws for a one-time purchase. */
export function monthFromPurchaseRow(row: PurchaseRow): SubscriptionMonth {
  const { periodIndex, startTime, expiryTime, price, developerPayload, voidedTime, voidReason } = row;
  if (periodIndex === null || startTime === null || expiryTime === null) {
    throw new Error('Expected a month of a subscription, got a one-time purchase.');
  }
  const purchaseId = row.purchaseId as PurchaseId;
  return { purchaseId, periodIndex, startTime, expiryTime, price, developerPayload, voidedTime, voidReason };
}

export const purchaseColumns = `${selectList(visiblePurchase, 'p')}, p.is_imported as "isImported"`;

const PurchaseState = Type.Object({
  position: Type.Integer(),
  productId: Type.String(),
  purchaseTime: Type.Integer(),
  developerPayload: Type.String(),
  consumedTime: nullable(Type.Integer()),
  voidedTime: nullable(Type.Integer()),
  firstPurchaseId: nullable(Type.String()),
});
/** The values of a purchase that the purchase API needs for one-time products. */
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

// The package names are repeated, so that a cluster visits only their shards. Served by the primary key of purchase.
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

export const packageNameOf = ({ packageName }: PurchaseKey): string => packageName;

/** Reads one purchase by its key, sharing a statement with concurrent reads. */
export function purchaseStateReader(
  database: Database,
): (key: PurchaseKey) => Promise<PurchaseState | undefined> {
  return coalescedByShard(database, packageNameOf, readLimits, async (keys: readonly PurchaseKey[]) => {
    const packageNames = keys.map((key) => key.packageName);
    const values = [textArray(packageNames), textArray(keys.map((key) => key.purchaseId))];
    const rows = database.isDistributed
      ? await database.rows(selectPurchaseStatesOfShards, [...values, textArray([...new Set(packageNames)])])
      : await database.rows(selectPurchaseStates, values);
    // The loader rejects an array whose last element was never set.
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
