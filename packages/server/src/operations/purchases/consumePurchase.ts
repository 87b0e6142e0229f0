// Marks a purchase as consumed, once (the specification, "consumePurchase").

import { consumePurchase as operation } from '@opentill/contract/purchase-api/consumePurchase.ts';
import type { ConsumptionResult } from '@opentill/contract/resources.ts';
import { appAuthor } from '../../domain/author.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import type { Store } from '../../store/store.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

export function consumePurchase(store: Store): AppHandler {
  return appHandler(operation, async (call): Promise<ConsumptionResult | Refusal> => {
    const { packageName, path, requestId } = call;
    const purchaseId = parsePurchaseId(path.purchaseId);
    if (purchaseId === undefined) return new Refusal('notPurchaseCompleted');
    const request = { packageName, purchaseId, madeBy: appAuthor, requestId, shows: false };
    switch ((await store.consumePurchase(request)).outcome) {
      case 'consumed':
        return { consumptionState: 1, purchaseId };
      case 'notCompleted':
        return new Refusal('notPurchaseCompleted');
      case 'cannotChange':
        return new Refusal('consumptionUnchangeable');
    }
  });
}
