// A purchase, and what the purchase API returns for it (the specification, "States and transitions"). Every paid period of
// a subscription is also a purchase.

import type { CancelReason as CancelReasonField } from '@opentill/contract/fields.ts';
import type { PurchaseDetails } from '@opentill/contract/resources.ts';
import type { Static } from 'typebox';
import type { PackageName, ProductId, PurchaseId } from '../identifiers.ts';
import { minuteMs } from '../time.ts';

/** The clock of a checkout may be ahead by this many ms; a purchase cannot lie in the future. */
export const purchaseTimeAheadMsMax = minuteMs;

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
  /** When its buyer was erased, in real time. */
  readonly erasedAt: number | null;
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

/** What a field that was not sent means; the others match any value (docs/decisions/purchases.md). */
const unsentFields: RecordedFields = { orderId: null, developerPayload: '', buyerId: null };

const erasedFields: readonly RecordedField[] = ['developerPayload', 'buyerId'];

/** Returns the names of the fields that differ from the existing purchase; without any, the call is a retry. */
export function compareRecorded(existing: Purchase, sent: RecordedFields): readonly RecordedField[] {
  return recordedFields.filter((field) => {
    if (existing.erasedAt !== null && erasedFields.includes(field)) return false;
    const wanted = sent[field] === undefined ? unsentFields[field] : sent[field];
    return wanted !== undefined && wanted !== existing[field];
  });
}
