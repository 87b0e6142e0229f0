// Reads the newest period of a subscription by its first purchase id (the specification,
// "getLastRecurringPurchaseDetails").

import { getLastRecurringPurchaseDetails as operation } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import { describeLastRecurringPurchase } from '../../domain/subscriptions/subscription.ts';
import type { Store } from '../../store/store.ts';
import { subscriptionFromRow } from '../../store/subscriptions/subscriptions.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

export function getLastRecurringPurchaseDetails({ readPeriod }: Store): AppHandler {
  return appHandler(operation, async ({ packageName, path }) => {
    const purchaseId = parsePurchaseId(path.purchaseId);
    const paidPeriod = purchaseId === undefined ? undefined : await readPeriod({ packageName, purchaseId });
    if (paidPeriod === undefined || paidPeriod.firstPurchaseId !== purchaseId) return new Refusal('notFound');
    return describeLastRecurringPurchase(subscriptionFromRow(paidPeriod));
  });
}
