// Reads a subscription with its months in the form of the operator API.

import {
  type Subscription as ShownSubscription,
  subscriptionMonthsMax,
} from '@opentill/contract/operator-resources.ts';
import { subscriptionStateAt } from '../../domain/subscriptions/subscription.ts';
import type { Database } from '../../store/connection/database.ts';
import type { PurchaseRow } from '../../store/purchases/purchases.ts';
import {
  findSubscription,
  listMonths,
  type SubscriptionRow,
} from '../../store/subscriptions/subscriptions.ts';
import { monthOfPurchase, shownReason } from '../purchases/purchase-view.ts';
import { subscriptionOf } from './subscription-view.ts';

/** Returns undefined unless the id is the first purchase id of a subscription of this app. */
export async function readSubscription(
  database: Database,
  key: { readonly packageName: string; readonly firstPurchaseId: string },
  now: number,
): Promise<ShownSubscription | undefined> {
  const row = await findSubscription(database, key);
  if (row === undefined) return undefined;
  return shownSubscription(row, await listMonths(database, key, subscriptionMonthsMax), now);
}

function shownSubscription(
  row: SubscriptionRow,
  months: readonly PurchaseRow[],
  now: number,
): ShownSubscription {
  return {
    packageName: row.packageName,
    firstPurchaseId: row.firstPurchaseId,
    productId: row.productId,
    ...(row.buyerId !== null && { buyerId: row.buyerId }),
    state: subscriptionStateAt(subscriptionOf(row), now),
    startTime: row.firstStart,
    expiryTime: row.expiryTime,
    ...(row.nextPaymentTime !== null && { nextPaymentTime: row.nextPaymentTime }),
    autoRenewing: row.autoRenewing,
    ...(row.cancelReason !== null && { cancelReason: shownReason(row.cancelReason) }),
    ...(row.cancelledTime !== null && { cancelledTime: row.cancelledTime }),
    ...(row.terminatedTime !== null && { terminatedTime: row.terminatedTime }),
    timeZone: row.timeZone,
    price: row.price,
    currency: row.currency,
    developerPayload: row.developerPayload,
    lastPurchaseId: row.lastPurchaseId,
    months: months.map(shownMonth),
  };
}

function shownMonth(row: PurchaseRow): ShownSubscription['months'][number] {
  const { purchaseId, periodIndex, startTime, expiryTime, price, voidedTime, voidReason } =
    monthOfPurchase(row);
  return {
    purchaseId,
    periodIndex,
    startTime,
    expiryTime,
    price,
    purchaseState: voidedTime === null ? 0 : 1,
    ...(voidedTime !== null && { voidedTime }),
    ...(voidReason !== null && { voidReason: shownReason(voidReason) }),
  };
}
