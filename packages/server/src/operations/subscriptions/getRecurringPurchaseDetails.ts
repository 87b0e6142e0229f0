// Reads one month of a subscription by the purchase id of that month (the specification, "Recurring (monthly)
// purchase details").

import { getRecurringPurchaseDetails as operation } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { parsePurchaseId } from '../../domain/identifiers.ts';
import { describeRecurringPurchase } from '../../domain/subscriptions/subscription.ts';
import type { Store } from '../../store/store.ts';
import { monthFromRow, subscriptionFromRow } from '../../store/subscriptions/subscriptions.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

export function getRecurringPurchaseDetails({ readMonth }: Store): AppHandler {
  return appHandler(operation, async ({ packageName, path }) => {
    const purchaseId = parsePurchaseId(path.purchaseId);
    const month = purchaseId === undefined ? undefined : await readMonth({ packageName, purchaseId });
    if (month === undefined) return new Refusal('notFound');
    return describeRecurringPurchase(subscriptionFromRow(month), monthFromRow(month));
  });
}
