// Lists the purchases of one app or of all apps, newest first: support knows the customer, but often not the app.

import { listPurchases as operation } from '@opentill/contract/operator-api/listPurchases.ts';
import { eachPackageName } from '../../store/apps/apps.ts';
import { PurchasePosition, listPurchases as readPage } from '../../store/purchases/purchase-lists.ts';
import type { Store } from '../../store/store.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { refuseValue } from '../refusal.ts';
import { purchaseResponse } from './purchase-response.ts';

export function listPurchases({ database }: Store): OperatorHandler {
  const handler = listHandler(operation, PurchasePosition, async ({ query }, page) => {
    const { packageName, productId, state } = query;
    const needsApp = productId !== undefined || (state !== undefined && state !== 'voided');
    if (packageName === undefined && needsApp) {
      const message = 'expected an app, because productId and state are filters within an app';
      return refuseValue('invalidRequest', 'packageName', message);
    }
    const { rows, next } = await readPage(database.scopedTo(packageName), query, page);
    return { purchases: rows.map(purchaseResponse), next };
  });
  return {
    ...handler,
    async *readEntries(call) {
      const { packageName, id, purchaseId, orderId, buyerId, state } = call.query;
      const hasIndex = (packageName ?? id ?? purchaseId ?? orderId ?? buyerId ?? state) !== undefined;
      if (hasIndex) return yield* handler.readEntries(call);
      // No index has the purchases of all apps by time: each page would read as many rows of every app.
      for await (const name of eachPackageName(database)) {
        yield* handler.readEntries({ ...call, query: { ...call.query, packageName: name } });
      }
    },
  };
}
