// Converts the row of a purchase for the operator API, and the reason of a void or a cancel, which the caller gives in one
// of two ways.

import type { ReasonCode } from '@opentill/contract/actions.ts';
import { Purchase as PurchaseResponse } from '@opentill/contract/operator-resources.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import { type PurchaseRow, purchaseFromRow } from '../../store/purchases/purchases.ts';
import { type Refusal, refuseValue } from '../refusal.ts';
import { shown } from '../shown.ts';

/** The operator API shows words, the purchase API digits. */
const reasonWords = { '0': 'customer', '1': 'system' } as const;
const reasonDigits = { customer: '0', system: '1' } as const;

export function reasonWord(reason: CancelReason): 'customer' | 'system' {
  return reasonWords[reason];
}

function reasonDigit(word: 'customer' | 'system'): CancelReason {
  return reasonDigits[word];
}

/** The values of a response that are not those of the row. */
export function purchaseStates(row: PurchaseRow) {
  return {
    type: purchaseFromRow(row).kind,
    consumptionState: row.consumedTime === null ? 0 : 1,
    purchaseState: row.voidedTime === null ? 0 : 1,
    voidReason: row.voidReason && reasonWord(row.voidReason),
    refundAmount: row.voidedTime === null ? null : (row.refundAmount ?? row.price),
    isImported: row.isImported || null,
  } as const;
}

export function purchaseResponse(row: PurchaseRow): PurchaseResponse {
  return shown(PurchaseResponse, { ...row, ...purchaseStates(row) });
}

type Initiator = Parameters<typeof reasonDigit>[0];

/** A reasonCode implies who initiated it; `otherwise` applies if neither was sent. */
export function givenReason(
  { reason, reasonCode }: { readonly reason?: Initiator; readonly reasonCode?: ReasonCode },
  otherwise: Initiator,
): CancelReason | Refusal<'invalidRequest'> {
  if (reasonCode === undefined) return reasonDigit(reason ?? otherwise);
  const implied = reasonCode === 'customerRequest' ? 'customer' : 'system';
  if (reason === undefined || reason === implied) return reasonDigit(implied);
  const message = `expected ${implied}, which the reasonCode ${reasonCode} implies, got ${reason}`;
  return refuseValue('invalidRequest', '/reason', message);
}
