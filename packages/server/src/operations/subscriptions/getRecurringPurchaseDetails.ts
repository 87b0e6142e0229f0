// Reads one period of a subscription by the purchase id of that period (the specification, "Recurring (monthly)
// purchase details").

import { getRecurringPurchaseDetails as operation } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import { describeRecurringPurchase } from '../../domain/subscriptions/subscription.ts';
import type { Store } from '../../store/store.ts';
import { periodFromRow, subscriptionFromRow } from '../../store/subscriptions/subscriptions.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

export function getRecurringPurchaseDetails({ readPeriod }: Store): AppHandler {
  return appHandler(operation, async ({ packageName, path }) => {
    const purchaseId = parsePurchaseId(path.purchaseId);
    const paidPeriod = purchaseId === undefined ? undefined : await readPeriod({ packageName, purchaseId });
    if (paidPeriod === undefined) return new Refusal('notFound');
    return describeRecurringPurchase(subscriptionFromRow(paidPeriod), periodFromRow(paidPeriod));
  });
}
