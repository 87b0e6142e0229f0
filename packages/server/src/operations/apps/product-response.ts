// Converts the row of a product for the operator API.

import type { Product } from '@opentill/contract/operator-resources.ts';
import type { ProductRow } from '../../store/apps/products.ts';

export function productResponse(row: ProductRow): Product {
  const { packageName, productId, type, title, price, currency, createdAt, updatedAt } = row;
  return {
    packageName,
    productId,
    type,
    ...(title !== null && { title }),
    price,
    currency,
    createdAt,
    updatedAt,
  };
}
