// Reads what the purchase API returns for a purchase, by the handlers of that API.

import { getDeveloperView as operation } from '@opentill/contract/operator-api/getDeveloperView.ts';
import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import type { PackageName } from '../../domain/identifiers.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import type { Store } from '../../store/store.ts';
import type { RespondToPurchaseCall } from '../app-handler.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchPurchase } from '../refusal.ts';

export function getDeveloperView(
  { database }: Store,
  respondToPurchaseCall: RespondToPurchaseCall,
): OperatorHandler {
  return operatorHandler(operation, async ({ path, author: { requestId } }) => {
    const purchase = await findPurchase(database, path);
    if (purchase === undefined) return noSuchPurchase(path);
    const { productId, firstPurchaseId } = purchase;
    const own = { ...path, productId };
    const first = { ...own, purchaseId: firstPurchaseId ?? path.purchaseId };
    const reads =
      firstPurchaseId === null
        ? ([
            [getPurchaseDetails, own],
            [getPurchaseDetailsByProductId, own],
          ] as const)
        : ([
            [getRecurringPurchaseDetails, own],
            // It finds a subscription by its first purchase only.
            [getLastRecurringPurchaseDetails, first],
          ] as const);
    const packageName = path.packageName as PackageName;
    const calls = reads.map(async ([{ operationId, path: form }, values]) => ({
      operationId,
      path: form.replaceAll(/:(\w+)/g, (_, name: keyof typeof own) => values[name]),
      ...(await respondToPurchaseCall(operationId, { packageName, path: values, query: {}, requestId })),
    }));
    return responded(200, { calls: await Promise.all(calls) });
  });
}
