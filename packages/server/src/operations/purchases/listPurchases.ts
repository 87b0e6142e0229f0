// Lists the purchases of an app, newest first.

import { listPurchases as operation } from '@opentill/contract/operator-api/listPurchases.ts';
import { findApp } from '../../store/apps/apps.ts';
import { PurchasePosition, listPurchases as readPage } from '../../store/purchases/purchase-lists.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import { noSuchApp } from '../missing.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { purchaseResponse } from './purchase-response.ts';

export function listPurchases({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, PurchasePosition, async ({ path: { packageName }, query }, page) => {
    const queryable = database.scopedTo(packageName);
    if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
    const { rows, next } = await readPage(queryable, { ...query, packageName }, page);
    return { purchases: rows.map(purchaseResponse), next };
  });
}
