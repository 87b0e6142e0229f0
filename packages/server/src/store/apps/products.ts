// The products that apps sell. The type of a product and the length of its periods never change.

import { ProductId } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { pagedList } from '../statements/paged-list.ts';
import { statement } from '../statements/statement.ts';
import { insertText, insertValues, rowShape, selectList } from '../statements/table.ts';
import { product } from '../tables/ledger.ts';

const ProductRow = rowShape(product);
export type ProductRow = Static<typeof ProductRow>;

interface ProductKey {
  readonly packageName: string;
  readonly productId: string;
}

const productColumns = selectList(product, 'product');

// Served by the primary key.
const selectProduct = statement({
  name: 'select_product',
  text: `select ${productColumns} from product where package_name = $1 and product_id = $2`,
  row: ProductRow,
});

// Served by the primary key.
const lockProductRow = statement({
  name: 'lock_product',
  text: `select ${productColumns} from product where package_name = $1 and product_id = $2 for no key update`,
  row: ProductRow,
});

// Checked by the primary key.
const insertProductRow = statement({
  name: 'insert_product',
  text: `${insertText(product)} on conflict do nothing returning ${productColumns}`,
  row: ProductRow,
});

// Served by the primary key.
const updateProductRow = statement({
  name: 'update_product',
  text: `update product set title = $3, price = $4, currency = $5, updated_at = $6
    where package_name = $1 and product_id = $2 returning ${productColumns}`,
  row: ProductRow,
});

export async function findProduct(queryable: Queryable, key: ProductKey): Promise<ProductRow | undefined> {
  return (await queryable.rows(selectProduct, [key.packageName, key.productId]))[0];
}

export const ProductPosition = Type.Object({ productId: ProductId });

/** The products of an app by id. Served by the primary key, in its order. */
export const listProducts = pagedList({
  name: 'products',
  row: ProductRow,
  position: ProductPosition,
  order: { productId: 'product_id' },
  direction: 'asc',
  filters: { packageName: 'package_name = $packageName' },
  text: ({ where, page }) => `select ${productColumns} from product where ${where} ${page}`,
});

/** Returns undefined if the product exists, even if a concurrent transaction has just inserted it. */
export async function insertProduct(
  transaction: Queryable,
  row: ProductRow,
): Promise<ProductRow | undefined> {
  return (await transaction.rows(insertProductRow, insertValues(product, row)))[0];
}

/** Reads a product and locks its row until the transaction ends. */
export async function lockProduct(transaction: Queryable, key: ProductKey): Promise<ProductRow | undefined> {
  return (await transaction.rows(lockProductRow, [key.packageName, key.productId]))[0];
}

/** Replaces all values of a locked product except its type and its period. */
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
  if (row === undefined) throw new Error('A locked product could not be updated.');
  return row;
}
