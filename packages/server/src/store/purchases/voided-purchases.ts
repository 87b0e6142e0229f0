// Voids purchases and reads pages of an app's voided list, in the order of (voidedTime, voidOrder).

import type { VoidCause } from '@opentill/contract/events.ts';
import { maxResults } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import { purchaseTimeAheadMsMax } from '../../domain/purchases/purchase.ts';
import type { DatedStore } from '../clocks/store-clock.ts';
import { coalesced } from '../connection/coalesced.ts';
import type { Queryable } from '../connection/database.ts';
import { lockTimeouts } from '../connection/shared-writes.ts';
import { nullable, statement } from '../statements/statement.ts';
import type { PurchaseKey } from './purchases.ts';

const VoidedRow = Type.Object({
  position: Type.Integer(),
  isLocked: Type.Boolean(),
  now: Type.Integer(),
  latest: Type.Integer(),
  purchaseId: nullable(Type.String()),
  purchaseTime: nullable(Type.Integer()),
  voidedTime: nullable(Type.Integer()),
  voidOrder: nullable(Type.Integer()),
});

// Served by the primary keys of app_counter and app_clock and, for each page, by purchase_void_order, in its order.
const selectVoidedPages = statement({
  name: 'list_voided',
  text: 'select * from list_voided_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
  row: VoidedRow,
});

// On the node of the app. Served by the primary key.
const lockVoidsOfApp = statement({
  name: 'lock_voids',
  text: 'select lock_voids_v1(package_name) as "isLocked" from app_counter where package_name = $1',
  row: Type.Object({ isLocked: Type.Boolean() }),
});

// Served by the primary key.
const updateVoided = statement({
  name: 'update_voided',
  text: `update purchase set voided_time = $3, void_order = $4, void_reason = $5,
      expiry_time = coalesce($6::bigint, expiry_time), voided_by = $7, void_cause = $8,
      refund_amount = $9
    where package_name = $1 and purchase_id = $2 and voided_time is null
    returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** A part of the voided list: the entries after `after` in a range with inclusive ends. */
interface VoidedSlice {
  readonly packageName: string;
  readonly start: number;
  readonly end: number;
  /** The end is `latest`. */
  readonly isEndOpen: boolean;
  /** undefined for a first page. */
  readonly after: { readonly voidedTime: number; readonly order: number } | undefined;
  readonly limit: number;
}

interface VoidedEntry {
  readonly purchaseId: string;
  readonly purchaseTime: number;
  readonly voidedTime: number;
  readonly voidOrder: number;
}

/** A page of the voided list. If it is a first page, voids that it could not see yet are dated `latest` or later. */
export interface VoidedPage {
  /** The app's time. */
  readonly now: number;
  /** The app's time, or that of its last void if that is later. A first page that ends later has no entries. */
  readonly latest: number;
  readonly entries: readonly VoidedEntry[];
}

/** Few pages share a statement, because a page has up to 1,000 rows and small ones would wait for large ones. */
const pageLimits = { batchMax: 10, inFlightMax: 3 } as const;

/** Larger pages of an app are read one after another, so that they do not slow the calls of other apps. */
const smallPageRowsMax = maxResults.default + 1;

/** First pages of an app that wait for a void share a statement. */
const waitingLimits = { batchMax: 10, inFlightMax: 1 } as const;

/**
 * Reads one page of an app's voided list, sharing a statement with concurrent reads. A first page waits for the voids of
 * its app that are being written.
 */
export function voidedPageReader(store: DatedStore): (slice: VoidedSlice) => Promise<VoidedPage> {
  const { database } = store;
  const packageNameOf = ({ packageName }: VoidedSlice) => packageName;
  const together = coalesced(database, { ...pageLimits, packageNameOf }, (slices: readonly VoidedSlice[]) =>
    readPages(store, slices, { lockTimeoutMs: lockTimeouts.sharedMs, waits: false }),
  );
  const waiting = coalesced(
    database,
    { ...waitingLimits, groupOf: packageNameOf },
    async (slices: readonly VoidedSlice[]) => {
      const scope = { packageName: slices[0]?.packageName ?? '' };
      const how = { lockTimeoutMs: lockTimeouts.aloneMs, waits: true };
      return database.enqueue(scope, () => readPages(store, slices, how));
    },
  );
  return async (slice) => {
    const isLarge = slice.limit > smallPageRowsMax;
    const read = () => together(slice);
    const page =
      (await (isLarge ? database.enqueueRead(slice.packageName, read) : read())) ?? (await waiting(slice));
    if (page === undefined) throw new Error('A page that waited for its lock did not get it.');
    return page;
  };
}

/** Returns undefined for a page whose lock is not free. */
async function readPages(
  { database, clock }: DatedStore,
  slices: readonly VoidedSlice[],
  { lockTimeoutMs, waits }: { readonly lockTimeoutMs: number; readonly waits: boolean },
): Promise<(VoidedPage | undefined)[]> {
  const rows = await database.rows(selectVoidedPages, [
    slices[0]?.packageName,
    slices.map((slice) => slice.packageName),
    slices.map((slice) => slice.start),
    slices.map((slice) => slice.end),
    slices.map((slice) => slice.isEndOpen),
    // A first page starts before the first void of its range: one of order 0, which no void has.
    slices.map((slice) => slice.after?.voidedTime ?? slice.start),
    slices.map((slice) => slice.after?.order ?? 0),
    slices.map((slice) => slice.limit),
    clock.floor,
    // If the last void of an app is further ahead, a clock was wrong.
    purchaseTimeAheadMsMax,
    String(lockTimeoutMs),
    waits,
  ]);
  const ofSlice = Map.groupBy(rows, ({ position }) => position);
  // WITH ORDINALITY counts from 1.
  return slices.map((_slice, index) => pageOf(ofSlice.get(index + 1) ?? []));
}

/** A page without entries is one row, whose entry columns are null. */
function pageOf(rows: readonly Static<typeof VoidedRow>[]): VoidedPage | undefined {
  const [first] = rows;
  if (first === undefined) throw new Error('The voided list returned no row for a page.');
  if (first.isLocked) return undefined;
  const { now, latest } = first;
  const entries = rows.flatMap(({ purchaseId, purchaseTime, voidedTime, voidOrder }) => {
    if (purchaseId === null || purchaseTime === null || voidedTime === null || voidOrder === null) return [];
    return { purchaseId, purchaseTime, voidedTime, voidOrder };
  });
  return { now, latest, entries };
}

/**
 * Locks the voids of an app until the transaction ends; `assignVoidOrder` follows with a time that is read after it. Only
 * the counter row is locked later.
 */
export async function lockVoids(transaction: Queryable, packageName: string): Promise<void> {
  await transaction.rows(lockVoidsOfApp, [packageName]);
}

/**
 * Marks a purchase that the transaction has locked as voided. `expiryTime` is the new end of a period; null leaves it
 * unchanged.
 */
export async function markVoided(
  transaction: Queryable,
  { packageName, purchaseId }: PurchaseKey,
  voiding: {
    voidedTime: number;
    voidOrder: number;
    voidReason: '0' | '1';
    expiryTime: number | null;
    voidedBy: string;
    voidCause: VoidCause;
    /** Null for the price. */
    refundAmount: number | null;
  },
): Promise<void> {
  const rows = await transaction.rows(updateVoided, [
    packageName,
    purchaseId,
    voiding.voidedTime,
    voiding.voidOrder,
    voiding.voidReason,
    voiding.expiryTime,
    voiding.voidedBy,
    voiding.voidCause,
    voiding.refundAmount,
  ]);
  if (rows.length !== 1) throw new Error('A locked purchase could not be voided.');
}
