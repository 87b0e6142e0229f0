// Marks a purchase as consumed for the store, once, by the rules of consumePurchase.

import { recordConsumption as operation } from '@opentill/contract/operator-api/recordConsumption.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchPurchase, Refusal } from '../refusal.ts';
import { purchaseResponse } from './purchase-response.ts';

export function recordConsumption(store: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, author: { madeBy, requestId } }) => {
    const { purchase } = await store.consumePurchase({ ...path, madeBy, requestId, shows: true });
    if (purchase === undefined) return noSuchPurchase(path);
    const { purchaseId, firstPurchaseId, voidedTime } = purchase;
    if (voidedTime !== null) {
      return new Refusal('conflict', `Purchase ${purchaseId} is void, and can no longer be consumed.`);
    }
    if (firstPurchaseId !== null) {
      const detail = `Purchase ${purchaseId} is a period of a subscription, and is never consumed.`;
      return new Refusal('conflict', detail);
    }
    return responded(200, purchaseResponse(purchase));
  });
}
