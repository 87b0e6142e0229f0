// Converts the row of a purchase for the operator API.

import type { Purchase as PurchaseResponse } from '@opentill/contract/operator-resources.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import { type PurchaseRow, purchaseFromRow } from '../../store/purchases/purchases.ts';

/** The operator API shows words, the purchase API digits. */
const reasonWords = { '0': 'customer', '1': 'system' } as const;
const reasonDigits = { customer: '0', system: '1' } as const;

export function reasonWord(reason: CancelReason): 'customer' | 'system' {
  return reasonWords[reason];
}

export function reasonDigit(word: 'customer' | 'system'): CancelReason {
  return reasonDigits[word];
}

/** The whole record; fields that do not apply are omitted. */
export function purchaseResponse(row: PurchaseRow): PurchaseResponse {
  return {
    packageName: row.packageName,
    purchaseId: row.purchaseId,
    productId: row.productId,
    type: purchaseFromRow(row).kind,
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
    ...(row.voidReason !== null && { voidReason: reasonWord(row.voidReason) }),
    ...(row.firstPurchaseId !== null && { firstPurchaseId: row.firstPurchaseId }),
    ...(row.periodIndex !== null && { periodIndex: row.periodIndex }),
    ...(row.startTime !== null && { startTime: row.startTime }),
    ...(row.expiryTime !== null && { expiryTime: row.expiryTime }),
    ...(row.recordedBy !== null && { recordedBy: row.recordedBy }),
    ...(row.voidedBy !== null && { voidedBy: row.voidedBy }),
    ...(row.isImported && { isImported: row.isImported }),
  };
}
