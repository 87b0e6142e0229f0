// Marks a purchase as consumed, once (the specification, "consumePurchase").

import { consumePurchase as operation } from '@opentill/contract/purchase-api/consumePurchase.ts';
import type { ConsumptionResult } from '@opentill/contract/resources.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import { decideConsume } from '../../domain/purchase.ts';
import type { ConsumeRequest, Consumption } from '../../store/consumptions.ts';
import { Refusal } from '../refusal.ts';
import { appAuthor, type PurchaseHandler, purchaseHandler } from './purchase-handler.ts';

type ConsumeOnce = (request: ConsumeRequest) => Promise<Consumption>;

export function consumePurchase(consumeOnce: ConsumeOnce): PurchaseHandler {
  return purchaseHandler(operation, async (call): Promise<ConsumptionResult | Refusal> => {
    const { packageName, path, now, requestId } = call;
    const purchaseId = parsePurchaseId(path.purchaseId);
    if (purchaseId === undefined) return new Refusal('notPurchaseCompleted');
    const consumption = await consumeOnce({ packageName, purchaseId, now, madeBy: appAuthor, requestId });
    switch (consumption.kind) {
      case 'consumed':
        return { consumptionState: 1, purchaseId };
      case 'missing':
        return new Refusal('notPurchaseCompleted');
      case 'unchanged':
        return refusalOf(consumption);
    }
  });
}

/** The rule that the statement obeyed, asked again about the state that it met: the two must agree. */
function refusalOf(met: Consumption & { kind: 'unchanged' }): Refusal {
  const kind = met.firstPurchaseId === null ? 'one_time' : 'subscription';
  const decision = decideConsume({ kind, consumedTime: met.consumedTime, voidedTime: met.voidedTime });
  switch (decision) {
    case 'notCompleted':
      return new Refusal('notPurchaseCompleted');
    case 'cannotChange':
      return new Refusal('consumptionUnchangeable');
    case 'consumed':
      throw new Error('A purchase that could be consumed was left as it was.');
  }
}
