// Voids purchases and reads pages of an app's voided list, in the order of (voidedTime, voidOrder).

import type { VoidCause } from '@opentill/contract/events.ts';
import Type, { type Static } from 'typebox';
import { coalesced } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';
import type { PurchaseKey } from './purchases.ts';

// Served by the primary key.
const lastVoidedTime = statement({
  name: 'select_last_voided_time',
  text: 'select last_voided_time as "lastVoidedTime" from app_counter where package_name = $1',
  row: Type.Object({ lastVoidedTime: Type.Integer() }),
});

const VoidedRow = Type.Object({
  position: Type.Integer(),
  end: Type.Integer(),
  purchaseId: nullable(Type.String()),
  purchaseTime: nullable(Type.Integer()),
  voidedTime: nullable(Type.Integer()),
  voidOrder: nullable(Type.Integer()),
});

// Served by the primary key of app_counter and, for each page, by purchase_void_order, in its order.
const selectVoidedPages = statement({
  name: 'select_voided_pages',
  text: `
  with request as (
    select r.*, greatest(r.end_time, case when r.is_end_open then c.last_voided_time end) as settled_end
    from unnest($1::text[], $2::bigint[], $3::bigint[], $4::boolean[], $5::bigint[], $6::bigint[], $7::integer[])
      with ordinality as r
      (package_name, start_time, end_time, is_end_open, after_time, after_order, row_limit, position)
    join app_counter c on c.package_name = r.package_name
    where c.package_name = any($8::text[])
  )
  select r.position, r.settled_end as "end", page.purchase_id as "purchaseId", page.purchase_time as "purchaseTime",
    page.voided_time as "voidedTime", page.void_order as "voidOrder"
  from request r
  left join lateral (
    select p.purchase_id, p.purchase_time, p.voided_time, p.void_order
    from purchase p
    where p.package_name = r.package_name and p.package_name = any($8::text[])
      and p.voided_time >= r.start_time and p.voided_time <= r.settled_end
      and (p.voided_time, p.void_order) > (r.after_time, r.after_order)
    order by p.voided_time, p.void_order
    limit r.row_limit
  ) as page on true
  order by r.position, page.voided_time, page.void_order`,
  row: VoidedRow,
});

// Served by the primary key.
const updateVoided = statement({
  name: 'update_voided',
  text: `update purchase set voided_time = $3, void_order = $4, void_reason = $5,
      expiry_time = coalesce($6::bigint, expiry_time), voided_by = $7, void_cause = $8
    where package_name = $1 and purchase_id = $2 and voided_time is null
    returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** A part of the voided list: the entries after `after` in a range with inclusive ends. */
interface VoidedSlice {
  readonly packageName: string;
  readonly start: number;
  readonly end: number;
  /** The end is the time of the app's latest void, if that is later than `end`. */
  readonly isEndOpen: boolean;
  readonly after: { readonly voidedTime: number; readonly voidOrder: number };
  readonly limit: number;
}

interface VoidedEntry {
  readonly purchaseId: string;
  readonly purchaseTime: number;
  readonly voidedTime: number;
  readonly voidOrder: number;
}

/** A page of the voided list, with the end of the range that it is from. */
export interface VoidedPage {
  readonly end: number;
  readonly entries: VoidedEntry[];
}

/** Few pages share a statement, because a page has up to 1,000 rows and small ones would wait for large ones. */
const pageLimits = { batchMax: 10, inFlightMax: 3 } as const;

/** Reads one page of an app's voided list, sharing a statement with concurrent reads. */
export function voidedPageReader(database: Database): (slice: VoidedSlice) => Promise<VoidedPage> {
  const limits = { ...pageLimits, packageNameOf: ({ packageName }: VoidedSlice) => packageName };
  const read = coalesced(database, limits, async (slices: readonly VoidedSlice[]) => {
    const packageNames = slices.map((slice) => slice.packageName);
    const rows = await database.rows(selectVoidedPages, [
      packageNames,
      slices.map((slice) => slice.start),
      slices.map((slice) => slice.end),
      slices.map((slice) => slice.isEndOpen),
      slices.map((slice) => slice.after.voidedTime),
      slices.map((slice) => slice.after.voidOrder),
      slices.map((slice) => slice.limit),
      [...new Set(packageNames)],
    ]);
    const pages = slices.map(({ end }) => ({ end, entries: [] as VoidedEntry[] }));
    for (const row of rows) addRow(pages, row);
    return pages;
  });
  return (slice) => database.enqueueRead(slice.packageName, () => read(slice));
}

/** A page without entries is one row, whose entry columns are null. */
function addRow(pages: { end: number; entries: VoidedEntry[] }[], row: Static<typeof VoidedRow>): void {
  const { position, end, purchaseId, purchaseTime, voidedTime, voidOrder } = row;
  // WITH ORDINALITY counts from 1.
  const page = pages[position - 1];
  if (page === undefined) throw new Error('The voided list returned a page that was not requested.');
  page.end = end;
  if (purchaseId === null || purchaseTime === null || voidedTime === null || voidOrder === null) return;
  page.entries.push({ purchaseId, purchaseTime, voidedTime, voidOrder });
}

/** The time of the app's latest void, ms; 0 when there is none. */
export async function findLastVoidedTime(queryable: Queryable, packageName: string): Promise<number> {
  return (await queryable.rows(lastVoidedTime, [packageName]))[0]?.lastVoidedTime ?? 0;
}

/**
 * Marks a purchase that the transaction has locked as voided. `expiryTime` is the new end of a month; null leaves it
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
  ]);
  if (rows.length !== 1) throw new Error('A locked purchase could not be voided.');
}
