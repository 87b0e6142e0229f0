// Converts the row of a product for the operator API.

import { Product } from '@opentill/contract/operator-resources.ts';
import type { ProductRow } from '../../store/apps/products.ts';
import { shown } from '../shown.ts';

export function productResponse(row: ProductRow): Product {
  return shown(Product, row);
}
