// All operations of the purchase API that need a token, each with just what it uses.

import type { Database } from '../store/connection/database.ts';
import { purchaseConsumer } from '../store/purchases/consumptions.ts';
import { purchaseStateReader } from '../store/purchases/purchases.ts';
import { monthReader } from '../store/subscriptions/subscriptions.ts';
import type { PurchaseHandler } from './purchase-handler.ts';
import { consumePurchase } from './purchases/consumePurchase.ts';
import { getPurchaseDetails } from './purchases/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from './purchases/getPurchaseDetailsByProductId.ts';
import { getVoidedPurchases } from './purchases/getVoidedPurchases.ts';
import { getLastRecurringPurchaseDetails } from './subscriptions/getLastRecurringPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from './subscriptions/getRecurringPurchaseDetails.ts';
import { manageRecurringPaymentStatus } from './subscriptions/manageRecurringPaymentStatus.ts';

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
