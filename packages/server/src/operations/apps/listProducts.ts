// Lists the products of an app, by product id.

import { ProductId } from '@opentill/contract/fields.ts';
import { listProducts as operation } from '@opentill/contract/operator-api/listProducts.ts';
import Type from 'typebox';
import { findApp } from '../../store/apps/apps.ts';
import { listProducts as selectProducts } from '../../store/apps/products.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { productResponse } from './product-response.ts';

const token = pageToken(Type.Object({ productId: ProductId }));

export function listProducts({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, query }) => {
    const { packageName } = path;
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const after = page.after?.productId ?? '';
    const rows = await selectProducts(database, { packageName, after, limit: page.limit + 1 });
    const { items, next } = pageOfRows(rows, page.limit);
    return answered(200, { products: items.map(productResponse), ...nextPage(next, token) });
  });
}
