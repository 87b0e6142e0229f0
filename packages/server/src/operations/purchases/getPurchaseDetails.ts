// Reads a one-time purchase (the specification, "Endpoints").

import { getPurchaseDetails as operation } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import { describePurchase } from '../../domain/purchases/purchase.ts';
import type { Store } from '../../store/store.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

export function getPurchaseDetails({ readPurchase }: Store): AppHandler {
  return appHandler(operation, async ({ packageName, path }) => {
    const purchaseId = parsePurchaseId(path.purchaseId);
    if (purchaseId === undefined) return new Refusal('notFound');
    const purchase = await readPurchase({ packageName, purchaseId });
    if (purchase === undefined || purchase.firstPurchaseId !== null) return new Refusal('notFound');
    return describePurchase(purchase);
  });
}
