// The subscriptions of an app or of one product that have auto-payment on.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { filtered } from '../connection/filtered.ts';

interface RenewingScope {
  readonly packageName: string;
  /** undefined for all products. */
  readonly productId: string | undefined;
}

const filters = {
  packageName: 's.package_name = $packageName',
  productId: 's.product_id = $productId',
};

// Served by subscription_renewing_product, in its order.
const selectRenewing = filtered({
  name: 'select_renewing',
  row: Type.Object({ firstPurchaseId: Type.String() }),
  filters,
  text: (where) => `select s.first_purchase_id as "firstPurchaseId" from subscription s
    where ${where()} and s.auto_renewing order by s.product_id, s.first_purchase_id limit $limit`,
});

// Served by subscription_renewing_product, in its order.
const selectRenewingCount = filtered({
  name: 'count_renewing',
  row: Type.Object({ count: Type.Integer() }),
  filters,
  text: (where) => `select count(*)::integer as count from (
    select from subscription s where ${where()} and s.auto_renewing limit $limit) as counted`,
});

/** The first purchase ids of at most `limit` of them. */
export async function listRenewing(
  queryable: Queryable,
  scope: RenewingScope,
  limit: number,
): Promise<string[]> {
  const rows = await selectRenewing(queryable, { ...scope, limit });
  return rows.map(({ firstPurchaseId }) => firstPurchaseId);
}

/** Counts them up to `limit`. */
export async function countRenewing(
  queryable: Queryable,
  scope: RenewingScope,
  limit: number,
): Promise<number> {
  const [counted] = await selectRenewingCount(queryable, { ...scope, limit });
  return counted?.count ?? 0;
}
