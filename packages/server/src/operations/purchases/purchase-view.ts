// Converts the row of a purchase for the domain and for operators.

import type { Purchase as ShownPurchase } from '@opentill/contract/operator-resources.ts';
import type { PurchaseId } from '../../domain/identifiers.ts';
import type { CancelReason, Purchase } from '../../domain/purchases/purchase.ts';
import type { SubscriptionMonth } from '../../domain/subscriptions/subscription.ts';
import type { PurchaseRow } from '../../store/purchases/purchases.ts';

export function purchaseOf(row: PurchaseRow): Purchase {
  const kind = row.firstPurchaseId === null ? 'one_time' : 'subscription';
  return { ...(row as PurchaseRow & Omit<Purchase, 'kind'>), kind };
}

/** Throws for a one-time purchase. */
export function monthOfPurchase(row: PurchaseRow): SubscriptionMonth {
  const { periodIndex, startTime, expiryTime, price, developerPayload, voidedTime, voidReason } = row;
  if (periodIndex === null || startTime === null || expiryTime === null) {
    throw new Error('Expected a month of a subscription, got a one-time purchase.');
  }
  const purchaseId = row.purchaseId as PurchaseId;
  return { purchaseId, periodIndex, startTime, expiryTime, price, developerPayload, voidedTime, voidReason };
}

/** The operator API shows words, the purchase API digits. */
const reasonWords = { '0': 'customer', '1': 'system' } as const;
const reasonDigits = { customer: '0', system: '1' } as const;

export function shownReason(reason: CancelReason): 'customer' | 'system' {
  return reasonWords[reason];
}

export function reasonOf(shown: 'customer' | 'system'): CancelReason {
  return reasonDigits[shown];
}

/** The whole record; fields that do not apply are omitted. */
export function shownPurchase(row: PurchaseRow): ShownPurchase {
  return {
    packageName: row.packageName,
    purchaseId: row.purchaseId,
    productId: row.productId,
    type: purchaseOf(row).kind,
    ...(row.orderId !== null && { orderId: row.orderId }),
    ...(row.buyerId !== null && { buyerId: row.buyerId }),
    purchaseTime: row.purchaseTime,
    developerPayload: row.developerPayload,
    price: row.price,
    currency: row.currency,
    consumptionState: row.consumedTime === null ? 0 : 1,
    purchaseState: row.voidedTime === null ? 0 : 1,
    ...(row.consumedTime !== null && { consumedTime: row.consumedTime }),
    ...(row.voidedTime !== null && { voidedTime: row.voidedTime }),
    ...(row.voidReason !== null && { voidReason: shownReason(row.voidReason) }),
    ...(row.firstPurchaseId !== null && { firstPurchaseId: row.firstPurchaseId }),
    ...(row.periodIndex !== null && { periodIndex: row.periodIndex }),
    ...(row.startTime !== null && { startTime: row.startTime }),
    ...(row.expiryTime !== null && { expiryTime: row.expiryTime }),
  };
}
