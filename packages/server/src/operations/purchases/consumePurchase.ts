// Marks a purchase as consumed, once (the specification, "consumePurchase").

import { consumePurchase as operation } from '@opentill/contract/purchase-api/consumePurchase.ts';
import type { ConsumptionResult } from '@opentill/contract/resources.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import type { ConsumeRequest, Consumption } from '../../store/purchases/consumptions.ts';
import { appAuthor, type PurchaseHandler, purchaseHandler } from '../purchase-handler.ts';
import { Refusal } from '../refusal.ts';

type ConsumeOnce = (request: ConsumeRequest) => Promise<Consumption>;

export function consumePurchase(consumeOnce: ConsumeOnce): PurchaseHandler {
  return purchaseHandler(operation, async (call): Promise<ConsumptionResult | Refusal> => {
    const { packageName, path, now, requestId } = call;
    const purchaseId = parsePurchaseId(path.purchaseId);
    if (purchaseId === undefined) return new Refusal('notPurchaseCompleted');
    switch (await consumeOnce({ packageName, purchaseId, now, madeBy: appAuthor, requestId })) {
      case 'consumed':
        return { consumptionState: 1, purchaseId };
      case 'notCompleted':
        return new Refusal('notPurchaseCompleted');
      case 'cannotChange':
        return new Refusal('consumptionUnchangeable');
    }
  });
}
