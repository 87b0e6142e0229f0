// Lists the purchases of one app or of all apps, newest first: support knows the customer, but often not the app.

import { listPurchases as operation } from '@opentill/contract/operator-api/listPurchases.ts';
import { PurchasePosition, listPurchases as readPage } from '../../store/purchases/purchase-lists.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { refuseValue } from '../refusal.ts';
import { purchaseResponse } from './purchase-response.ts';

export function listPurchases({ database }: Store): OperatorHandler {
  return listHandler(operation, PurchasePosition, async ({ query }, page) => {
    const { packageName, productId, state } = query;
    const needsApp = productId !== undefined || (state !== undefined && state !== 'voided');
    if (packageName === undefined && needsApp) {
      const message = 'expected an app, because productId and state are filters within an app';
      return refuseValue('invalidRequest', 'packageName', message);
    }
    const { rows, next } = await readPage(database.scopedTo(packageName), query, page);
    return { purchases: rows.map(purchaseResponse), next };
  });
}
