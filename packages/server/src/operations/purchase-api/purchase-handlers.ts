// All operations of the purchase API that need a token, each with just what it uses.

import { purchaseConsumer } from '../../store/consumptions.ts';
import type { Database } from '../../store/database.ts';
import { purchaseStateReader } from '../../store/purchases.ts';
import { monthReader } from '../../store/subscriptions.ts';
import { consumePurchase } from './consumePurchase.ts';
import { getLastRecurringPurchaseDetails } from './getLastRecurringPurchaseDetails.ts';
import { getPurchaseDetails } from './getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from './getPurchaseDetailsByProductId.ts';
import { getRecurringPurchaseDetails } from './getRecurringPurchaseDetails.ts';
import { getVoidedPurchases } from './getVoidedPurchases.ts';
import { manageRecurringPaymentStatus } from './manageRecurringPaymentStatus.ts';
import type { PurchaseHandler } from './purchase-handler.ts';

/** `continuationKeySecrets`: the first signs, all verify. */
export function purchaseHandlers(
  database: Database,
  continuationKeySecrets: readonly Buffer[],
): readonly PurchaseHandler[] {
  const readPurchase = purchaseStateReader(database);
  const readMonth = monthReader(database);
  return [
    getPurchaseDetails(readPurchase),
    getPurchaseDetailsByProductId(readPurchase),
    getRecurringPurchaseDetails(readMonth),
    getLastRecurringPurchaseDetails(readMonth),
    manageRecurringPaymentStatus(database),
    getVoidedPurchases(database, continuationKeySecrets),
    consumePurchase(purchaseConsumer(database)),
  ];
}
