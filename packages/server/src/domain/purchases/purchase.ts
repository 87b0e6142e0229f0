// One purchase: what the purchase API shows of it, and what may become of it (the specification, "States and
// transitions"). Every paid month of a subscription is a purchase too.

import type { CancelReason as CancelReasonField } from '@opentill/contract/fields.ts';
import type { PurchaseDetails } from '@opentill/contract/resources.ts';
import type { Static } from 'typebox';
import type { PackageName, ProductId, PurchaseId } from '../identifiers.ts';

/** `'0'`: the customer wanted it; `'1'`: any other cause. */
export type CancelReason = Static<typeof CancelReasonField>;

type PurchaseKind = 'one_time' | 'subscription';

/** Instants are in ms; `consumedTime` and `voidedTime` are null until it happens. */
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

/** The specification, "Purchase details": the order of the keys is that of the answer. */
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

/** What recordPurchase may send; undefined is "not sent". */
export type RecordedFields = { readonly [Field in RecordedField]?: Purchase[Field] | undefined };

/**
 * The names of the sent fields whose value is not that of the record: none means that this purchase was
 * recorded before, and repeating it changes nothing.
 */
export function compareRecorded(existing: Purchase, wanted: RecordedFields): readonly RecordedField[] {
  return recordedFields.filter((field) => wanted[field] !== undefined && wanted[field] !== existing[field]);
}
