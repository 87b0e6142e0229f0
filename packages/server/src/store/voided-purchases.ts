// The voided list of one app, by (voidedTime, order of voiding): a page of it, and the making of a void.

import Type, { type Static } from 'typebox';
import type { Queryable } from './database.ts';
import type { PurchaseKey } from './purchases.ts';
import { statement } from './statement.ts';

const VoidedRow = Type.Object({
  purchaseId: Type.String(),
  purchaseTime: Type.Integer(),
  voidedTime: Type.Integer(),
  voidOrder: Type.Integer(),
});
export type VoidedRow = Static<typeof VoidedRow>;

const lastVoidedTime = statement({
  name: 'select_last_voided_time',
  text: 'select last_voided_time as "lastVoidedTime" from app_counter where package_name = $1',
  row: Type.Object({ lastVoidedTime: Type.Integer() }),
});

// Served by purchase_void_order, in its order.
const selectVoided = statement({
  name: 'select_voided',
  text: `select purchase_id as "purchaseId", purchase_time as "purchaseTime", voided_time as "voidedTime",
      void_order as "voidOrder"
    from purchase
    where package_name = $1 and voided_time is not null and voided_time >= $2 and voided_time <= $3
      and (voided_time, void_order) > ($4::bigint, $5::bigint)
    order by voided_time, void_order limit $6`,
  row: VoidedRow,
});

const updateVoided = statement({
  name: 'update_voided',
  text: `update purchase set voided_time = $3, void_order = $4, void_reason = $5,
      expiry_time = coalesce($6::bigint, expiry_time)
    where package_name = $1 and purchase_id = $2 and voided_time is null
    returning purchase_id as "purchaseId"`,
  row: Type.Object({ purchaseId: Type.String() }),
});

/** A part of the voided list: both ends of the range included, entries after `after` only. */
interface VoidedSlice {
  readonly packageName: string;
  readonly start: number;
  readonly end: number;
  readonly after: { readonly voidedTime: number; readonly voidOrder: number };
  readonly limit: number;
}

export function listVoided(queryable: Queryable, slice: VoidedSlice): Promise<VoidedRow[]> {
  const { packageName, start, end, after, limit } = slice;
  return queryable.rows(selectVoided, [packageName, start, end, after.voidedTime, after.voidOrder, limit]);
}

/** The time of the app's latest void, ms; 0 when there is none. */
export async function findLastVoidedTime(queryable: Queryable, packageName: string): Promise<number> {
  return (await queryable.rows(lastVoidedTime, [packageName]))[0]?.lastVoidedTime ?? 0;
}

/**
 * Marks a purchase that the transaction holds as voided. `expiryTime` is for a month that the void cuts
 * short; null leaves it as it is.
 */
export async function markVoided(
  transaction: Queryable,
  { packageName, purchaseId }: PurchaseKey,
  voiding: { voidedTime: number; voidOrder: number; voidReason: '0' | '1'; expiryTime: number | null },
): Promise<void> {
  const rows = await transaction.rows(updateVoided, [
    packageName,
    purchaseId,
    voiding.voidedTime,
    voiding.voidOrder,
    voiding.voidReason,
    voiding.expiryTime,
  ]);
  if (rows.length !== 1) throw new Error('A held purchase could not be voided.');
}
