// Converts the rows of apps and products for the operator API.

import { App as AppResponse, Product } from '@opentill/contract/operator-resources.ts';
import type { App } from '../../store/apps/apps.ts';
import type { ProductRow } from '../../store/apps/products.ts';
import { shown } from '../shown.ts';

export function appResponse(app: App): AppResponse {
  return shown(AppResponse, { ...app, disabled: app.disabledAt !== null });
}

export function productResponse(row: ProductRow): Product {
  return shown(Product, row);
}
