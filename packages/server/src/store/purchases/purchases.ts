// Reads and locks single purchases.

import Type, { type Static } from 'typebox';
import type { PurchaseId } from '../../domain/identifiers.ts';
import type { Purchase } from '../../domain/purchases/purchase.ts';
import type { PaidPeriod } from '../../domain/subscriptions/subscription.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { nullable, statement, textArray } from '../statements/statement.ts';
import { rowOfColumns, rowShape, selectList, withoutColumns } from '../statements/table.ts';
import { purchase } from '../tables/ledger.ts';

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
/** A purchase; the four columns of a period are null unless it is one. */
export type PurchaseRow = Static<typeof PurchaseRow>;

export function purchaseFromRow(row: PurchaseRow): Purchase {
  const kind = row.firstPurchaseId === null ? 'oneTime' : 'subscription';
  return { ...(row as PurchaseRow & Omit<Purchase, 'kind'>), kind };
}

/** The row of a purchase whose values have the names of their columns. */
export function purchaseRowOfColumns(values: Readonly<Record<string, unknown>>): PurchaseRow {
  return { ...rowOfColumns(visiblePurchase, values), isImported: values['is_imported'] === true };
}

/** Throws for a one-time purchase. */
export function periodFromPurchaseRow(row: PurchaseRow): PaidPeriod {
  const { periodIndex, startTime, expiryTime, price, developerPayload, voidedTime, voidReason } = row;
  if (periodIndex === null || startTime === null || expiryTime === null) {
    throw new Error('Expected a period of a subscription, got a one-time purchase.');
  }
  const purchaseId = row.purchaseId as PurchaseId;
  return { purchaseId, periodIndex, startTime, expiryTime, price, developerPayload, voidedTime, voidReason };
}

export const purchaseColumns = `${selectList(visiblePurchase, 'p')}, p.is_imported as "isImported"`;

/** The values of a purchase that the purchase API needs for one-time products. */
const PurchaseState = Type.Object({
  productId: Type.String(),
  purchaseTime: Type.Integer(),
  developerPayload: Type.String(),
  consumedTime: nullable(Type.Integer()),
  voidedTime: nullable(Type.Integer()),
  firstPurchaseId: nullable(Type.String()),
});
export type PurchaseState = Static<typeof PurchaseState>;

const stateColumns = `p.product_id as "productId", p.purchase_time as "purchaseTime",
    p.developer_payload as "developerPayload", p.consumed_time as "consumedTime", p.voided_time as "voidedTime",
    p.first_purchase_id as "firstPurchaseId"`;

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
const selectPurchaseStates = statement({
  name: 'select_purchase_states',
  text: `select request.position, ${stateColumns}
  from unnest($1::text[], $2::text[]) with ordinality as request (package_name, purchase_id, position)
  join purchase p on p.package_name = request.package_name and p.purchase_id = request.purchase_id`,
  row: Type.Object({ position: Type.Integer(), ...PurchaseState.properties }),
  ofColumns: purchaseStateOfColumns,
});

// Served by the primary key of purchase. Without a join, Citus finds the shard without planning the statement.
const selectPurchaseStatesOfApp = statement({
  name: 'select_purchase_states_of_app',
  text: `select p.purchase_id as "purchaseId", ${stateColumns} from purchase p
    where p.package_name = $1 and p.purchase_id = any($2::text[])`,
  row: Type.Object({ purchaseId: Type.String(), ...PurchaseState.properties }),
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

/** Requests that share one read, and reads in flight at once (docs/decisions/scaling.md). */
const readLimits = { batchMax: 100, inFlightMax: 3 } as const;

export const packageNameOf = ({ packageName }: PurchaseKey): string => packageName;

/** Reads one purchase by its key, sharing a statement with concurrent reads. */
export function purchaseStateReader(
  database: Database,
): (key: PurchaseKey) => Promise<PurchaseState | undefined> {
  const read = database.isDistributed ? readStatesOfApp : readStates;
  return coalesced(database, { ...readLimits, packageNameOf }, (keys) => read(database, keys));
}

/** Undefined for a key without a purchase. */
type PurchaseStates = (PurchaseState | undefined)[];

async function readStates(queryable: Queryable, keys: readonly PurchaseKey[]): Promise<PurchaseStates> {
  const packageNames = textArray(keys.map(({ packageName }) => packageName));
  const purchaseIds = textArray(keys.map(({ purchaseId }) => purchaseId));
  const rows = await queryable.rows(selectPurchaseStates, [packageNames, purchaseIds]);
  // The loader rejects an array whose last element was never set.
  const states = new Array<PurchaseState | undefined>(keys.length).fill(undefined);
  // WITH ORDINALITY counts from 1.
  for (const row of rows) states[row.position - 1] = row;
  return states;
}

/** All keys are of the same app. */
async function readStatesOfApp(queryable: Queryable, keys: readonly PurchaseKey[]): Promise<PurchaseStates> {
  const purchaseIds = textArray(keys.map(({ purchaseId }) => purchaseId));
  const rows = await queryable.rows(selectPurchaseStatesOfApp, [keys[0]?.packageName, purchaseIds]);
  const states = new Map(rows.map((row) => [row.purchaseId, row]));
  return keys.map(({ purchaseId }) => states.get(purchaseId));
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
