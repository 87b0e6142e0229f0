// A purchase, and what the purchase API returns for it (the specification, "States and transitions"). Every paid period of
// a subscription is also a purchase.

import type { CancelReason as CancelReasonField } from '@opentill/contract/fields.ts';
import type { PurchaseDetails } from '@opentill/contract/resources.ts';
import type { Static } from 'typebox';
import type { PackageName, ProductId, PurchaseId } from '../identifiers.ts';

/** The clock of a checkout may be ahead by this many ms; a purchase cannot lie in the future. */
export const purchaseTimeAheadMsMax = 60_000;

/** `'0'`: requested by the customer; `'1'`: any other reason. */
export type CancelReason = Static<typeof CancelReasonField>;

type PurchaseKind = 'oneTime' | 'subscription';

/** Instants are in ms; `consumedTime` and `voidedTime` are null until the purchase is consumed or voided. */
export interface Purchase {
  readonly packageName: PackageName;
  readonly purchaseId: PurchaseId;
  readonly productId: ProductId;
  readonly kind: PurchaseKind;
  readonly orderId: string | null;
  readonly buyerId: string | null;
  readonly purchaseTime: number;
  readonly developerPayload: string;
  readonly price: number;
  readonly currency: string;
  readonly consumedTime: number | null;
  readonly voidedTime: number | null;
  readonly voidReason: CancelReason | null;
}

/** The keys are in the order of the response (the specification, "Purchase details"). */
export function describePurchase(
  purchase: Pick<Purchase, 'consumedTime' | 'developerPayload' | 'voidedTime' | 'purchaseTime'>,
): PurchaseDetails {
  return {
    consumptionState: purchase.consumedTime === null ? 0 : 1,
    developerPayload: purchase.developerPayload,
    purchaseState: purchase.voidedTime === null ? 0 : 1,
    purchaseTime: purchase.purchaseTime,
  };
}

const recordedFields = [
  'productId',
  'purchaseId',
  'orderId',
  'purchaseTime',
  'developerPayload',
  'buyerId',
  'price',
] as const satisfies readonly (keyof Purchase)[];

type RecordedField = (typeof recordedFields)[number];

/** The fields of recordPurchase; undefined if a field was not sent. */
export type RecordedFields = { readonly [Field in RecordedField]?: Purchase[Field] | undefined };

/**
 * Returns the names of the sent fields that differ from the existing purchase. If there are none, the call is a retry and
 * changes nothing.
 */
export function compareRecorded(existing: Purchase, wanted: RecordedFields): readonly RecordedField[] {
  return recordedFields.filter((field) => wanted[field] !== undefined && wanted[field] !== existing[field]);
}
