// Converts the row of a purchase for the operator API.

import { Purchase as PurchaseResponse } from '@opentill/contract/operator-resources.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import { type PurchaseRow, purchaseFromRow } from '../../store/purchases/purchases.ts';
import { shown } from '../shown.ts';

/** The operator API shows words, the purchase API digits. */
const reasonWords = { '0': 'customer', '1': 'system' } as const;
const reasonDigits = { customer: '0', system: '1' } as const;

export function reasonWord(reason: CancelReason): 'customer' | 'system' {
  return reasonWords[reason];
}

export function reasonDigit(word: 'customer' | 'system'): CancelReason {
  return reasonDigits[word];
}

/** The values of a response that are not those of the row. */
export function purchaseStates(row: PurchaseRow) {
  return {
    type: purchaseFromRow(row).kind,
    consumptionState: row.consumedTime === null ? 0 : 1,
    purchaseState: row.voidedTime === null ? 0 : 1,
    voidReason: row.voidReason && reasonWord(row.voidReason),
    isImported: row.isImported || null,
  } as const;
}

export function purchaseResponse(row: PurchaseRow): PurchaseResponse {
  return shown(PurchaseResponse, { ...row, ...purchaseStates(row) });
}
