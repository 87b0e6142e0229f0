// Reads a subscription with its months in the form of the operator API.

import {
  type Subscription as SubscriptionResponse,
  subscriptionMonthsMax,
} from '@opentill/contract/operator-resources.ts';
import { subscriptionStateAt } from '../../domain/subscriptions/subscription.ts';
import type { Database } from '../../store/connection/database.ts';
import { monthFromPurchaseRow, type PurchaseRow } from '../../store/purchases/purchases.ts';
import {
  findSubscription,
  listMonths,
  type SubscriptionRow,
  subscriptionFromRow,
} from '../../store/subscriptions/subscriptions.ts';
import { reasonWord } from '../purchases/purchase-response.ts';

/** Returns undefined unless the id is the first purchase id of a subscription of this app. */
export async function readSubscription(
  database: Database,
  key: { readonly packageName: string; readonly firstPurchaseId: string },
  now: number,
): Promise<SubscriptionResponse | undefined> {
  const row = await findSubscription(database, key);
  if (row === undefined) return undefined;
  return subscriptionResponse(row, await listMonths(database, key, subscriptionMonthsMax), now);
}

function subscriptionResponse(
  row: SubscriptionRow,
  months: readonly PurchaseRow[],
  now: number,
): SubscriptionResponse {
  return {
    packageName: row.packageName,
    firstPurchaseId: row.firstPurchaseId,
    productId: row.productId,
    ...(row.buyerId !== null && { buyerId: row.buyerId }),
    state: subscriptionStateAt(subscriptionFromRow(row), now),
    startTime: row.firstStart,
    expiryTime: row.expiryTime,
    ...(row.nextPaymentTime !== null && { nextPaymentTime: row.nextPaymentTime }),
    autoRenewing: row.autoRenewing,
    ...(row.cancelReason !== null && { cancelReason: reasonWord(row.cancelReason) }),
    ...(row.cancelledTime !== null && { cancelledTime: row.cancelledTime }),
    ...(row.terminatedTime !== null && { terminatedTime: row.terminatedTime }),
    ...(row.autoPaymentChangedBy !== null && { autoPaymentChangedBy: row.autoPaymentChangedBy }),
    timeZone: row.timeZone,
    price: row.price,
    currency: row.currency,
    developerPayload: row.developerPayload,
    lastPurchaseId: row.lastPurchaseId,
    months: months.map(monthResponse),
  };
}

function monthResponse(row: PurchaseRow): SubscriptionResponse['months'][number] {
  const { purchaseId, periodIndex, startTime, expiryTime, price, voidedTime, voidReason } =
    monthFromPurchaseRow(row);
  return {
    purchaseId,
    periodIndex,
    startTime,
    expiryTime,
    price,
    purchaseState: voidedTime === null ? 0 : 1,
    ...(voidedTime !== null && { voidedTime }),
    ...(voidReason !== null && { voidReason: reasonWord(voidReason) }),
  };
}
