// Products: what an app sells. The type of a product never changes.

import type { Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { product } from '../tables/ledger.ts';
import { insertText, insertValues, rowShape, selectList } from '../tables/table.ts';

const ProductRow = rowShape(product);
export type ProductRow = Static<typeof ProductRow>;

interface ProductKey {
  readonly packageName: string;
  readonly productId: string;
}

const productColumns = selectList(product, 'product');

// Served by the primary key, as the other statements here.
const selectProduct = statement({
  name: 'select_product',
  text: `select ${productColumns} from product where package_name = $1 and product_id = $2`,
  row: ProductRow,
});

const lockProductRow = statement({
  name: 'lock_product',
  text: `select ${productColumns} from product where package_name = $1 and product_id = $2 for no key update`,
  row: ProductRow,
});

// A page begins after the last id of the one before.
const selectProducts = statement({
  name: 'select_products',
  text: `select ${productColumns} from product where package_name = $1 and product_id > $2
    order by product_id limit $3`,
  row: ProductRow,
});

const insertProductRow = statement({
  name: 'insert_product',
  text: `${insertText(product)} on conflict do nothing returning ${productColumns}`,
  row: ProductRow,
});

const updateProductRow = statement({
  name: 'update_product',
  text: `update product set title = $3, price = $4, currency = $5, updated_at = $6
    where package_name = $1 and product_id = $2 returning ${productColumns}`,
  row: ProductRow,
});

export async function findProduct(queryable: Queryable, key: ProductKey): Promise<ProductRow | undefined> {
  return (await queryable.rows(selectProduct, [key.packageName, key.productId]))[0];
}

/** Products of an app in the order of their ids, at most `limit`, after the given id ("" for the first). */
export function listProducts(
  queryable: Queryable,
  page: { packageName: string; after: string; limit: number },
): Promise<ProductRow[]> {
  return queryable.rows(selectProducts, [page.packageName, page.after, page.limit]);
}

/** Undefined when the product is there already, also when another transaction has just inserted it. */
export async function insertProduct(
  transaction: Queryable,
  row: ProductRow,
): Promise<ProductRow | undefined> {
  return (await transaction.rows(insertProductRow, insertValues(product, row)))[0];
}

/** Reads a product and holds its row until the transaction ends. */
export async function lockProduct(transaction: Queryable, key: ProductKey): Promise<ProductRow | undefined> {
  return (await transaction.rows(lockProductRow, [key.packageName, key.productId]))[0];
}

/** Replaces all of a held product but its type. */
export async function updateProduct(transaction: Queryable, changed: ProductRow): Promise<ProductRow> {
  const { packageName, productId, title, price, currency, updatedAt } = changed;
  const [row] = await transaction.rows(updateProductRow, [
    packageName,
    productId,
    title,
    price,
    currency,
    updatedAt,
  ]);
  if (row === undefined) throw new Error('A held product could not be updated.');
  return row;
}
