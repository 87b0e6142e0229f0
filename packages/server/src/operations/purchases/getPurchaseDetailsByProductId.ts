// Reads a one-time purchase of the given product (the specification, "getPurchaseDetailsByProductId").

import { getPurchaseDetailsByProductId as operation } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { parseProductId, parsePurchaseId } from '../../domain/identifiers.ts';
import { describePurchase } from '../../domain/purchases/purchase.ts';
import type { Store } from '../../store/store.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

export function getPurchaseDetailsByProductId({ readPurchase }: Store): AppHandler {
  return appHandler(operation, async ({ packageName, path }) => {
    const purchaseId = parsePurchaseId(path.purchaseId);
    const productId = parseProductId(path.productId);
    if (purchaseId === undefined || productId === undefined) return new Refusal('notFound');
    const purchase = await readPurchase({ packageName, purchaseId });
    if (purchase === undefined || purchase.firstPurchaseId !== null) return new Refusal('notFound');
    if (purchase.productId !== productId) return new Refusal('notFound');
    return describePurchase(purchase);
  });
}
