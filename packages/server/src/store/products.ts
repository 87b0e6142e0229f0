// Products: what an app sells. The type of a product never changes.

import { ProductType } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from './database.ts';
import { nullable, statement } from './statement.ts';

const ProductRow = Type.Object({
  packageName: Type.String(),
  productId: Type.String(),
  type: ProductType,
  title: nullable(Type.String()),
  price: Type.Integer(),
  currency: Type.String(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
});
export type ProductRow = Static<typeof ProductRow>;

interface ProductKey {
  readonly packageName: string;
  readonly productId: string;
}

const productColumns = `package_name as "packageName", product_id as "productId", type, title, price, currency,
  created_at as "createdAt", updated_at as "updatedAt"`;

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
  text: `insert into product (package_name, product_id, type, title, price, currency, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning ${productColumns}`,
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
  product: ProductRow,
): Promise<ProductRow | undefined> {
  const { packageName, productId, type, title, price, currency, createdAt, updatedAt } = product;
  const values = [packageName, productId, type, title, price, currency, createdAt, updatedAt];
  return (await transaction.rows(insertProductRow, values))[0];
}

/** Reads a product and holds its row until the transaction ends. */
export async function lockProduct(transaction: Queryable, key: ProductKey): Promise<ProductRow | undefined> {
  return (await transaction.rows(lockProductRow, [key.packageName, key.productId]))[0];
}

/** Replaces all of a held product but its type. */
export async function updateProduct(transaction: Queryable, product: ProductRow): Promise<ProductRow> {
  const { packageName, productId, title, price, currency, updatedAt } = product;
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
