// The subscriptions of an app or of one product that have auto-payment on.

import Type from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';

const ofApp = 's.package_name = $1 and s.auto_renewing';

const Renewing = Type.Object({ firstPurchaseId: Type.String() });
const RenewingCount = Type.Object({ count: Type.Integer() });

const listText = (scope: string) => `select s.first_purchase_id as "firstPurchaseId" from subscription s
  where ${scope} order by s.product_id, s.first_purchase_id limit $2`;

const countText = (scope: string) => `select count(*)::integer as count from (
  select from subscription s where ${scope} limit $2) as counted`;

// Served by subscription_renewing_product, in its order.
const selectOfApp = statement({ name: 'select_renewing_of_app', text: listText(ofApp), row: Renewing });
const countOfApp = statement({ name: 'count_renewing_of_app', text: countText(ofApp), row: RenewingCount });

// Served by subscription_renewing_product, in its order.
const selectOfProduct = statement({
  name: 'select_renewing_of_product',
  text: listText(`${ofApp} and s.product_id = $3`),
  row: Renewing,
});
const countOfProduct = statement({
  name: 'count_renewing_of_product',
  text: countText(`${ofApp} and s.product_id = $3`),
  row: RenewingCount,
});

interface RenewingScope {
  readonly packageName: string;
  /** undefined for all products. */
  readonly productId: string | undefined;
}

const valuesOf = ({ packageName, productId }: RenewingScope, limit: number) =>
  productId === undefined ? [packageName, limit] : [packageName, limit, productId];

/** The first purchase ids of at most `limit` of them. */
export async function listRenewing(
  queryable: Queryable,
  scope: RenewingScope,
  limit: number,
): Promise<string[]> {
  const select = scope.productId === undefined ? selectOfApp : selectOfProduct;
  const rows = await queryable.rows(select, valuesOf(scope, limit));
  return rows.map(({ firstPurchaseId }) => firstPurchaseId);
}

/** Counts them up to `limit`. */
export async function countRenewing(
  queryable: Queryable,
  scope: RenewingScope,
  limit: number,
): Promise<number> {
  const count = scope.productId === undefined ? countOfApp : countOfProduct;
  return (await queryable.rows(count, valuesOf(scope, limit)))[0]?.count ?? 0;
}
