// Lists the products of an app, by product id.

import { listProducts as operation } from '@opentill/contract/operator-api/listProducts.ts';
import { findApp } from '../../store/apps/apps.ts';
import { ProductPosition, listProducts as readPage } from '../../store/apps/products.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { productResponse } from './responses.ts';

export function listProducts({ database }: Store): OperatorHandler {
  return listHandler(operation, ProductPosition, async ({ path: { packageName } }, page) => {
    const queryable = database.scopedTo(packageName);
    if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
    const { rows, next } = await readPage(queryable, { packageName }, page);
    return { products: rows.map(productResponse), next };
  });
}
