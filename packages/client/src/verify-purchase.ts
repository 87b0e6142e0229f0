// The checks that a backend makes before it delivers.

import type { CallOptions } from './call-options.ts';
import type { PurchaseDetails } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

/** What an app on a device says of a purchase, and what its backend knows of the order. */
export interface ClaimedPurchase {
  readonly purchaseId: string;
  readonly productId: string;
  /** The one that the backend gave out with the order; `''` where there is none. */
  readonly developerPayload: string;
}

export type VerifiedPurchase =
  | { readonly isValid: true; readonly details: PurchaseDetails }
  | {
      readonly isValid: false;
      /** `consumed`: it has been delivered before, if each delivery is followed by consuming. */
      readonly reason: 'voided' | 'consumed' | 'otherPayload';
      readonly details: PurchaseDetails;
    }
  | {
      readonly isValid: false;
      /** `notFound`: there is no such purchase of this product and app. */
      readonly reason: 'notFound' | 'sandboxPurchase';
      readonly details?: undefined;
    };

interface Calls {
  getPurchaseDetailsByProductId(
    parameters: { purchaseId: string; productId: string },
    options: CallOptions,
  ): Promise<PurchaseDetails>;
}

/** Every id of the sandbox begins so (docs/decisions/recording-purchases.md). */
const sandboxPrefix = 'SANDBOX';

export async function verifyPurchase(
  calls: Calls,
  { purchaseId, productId, developerPayload }: ClaimedPurchase,
  { isProduction, ...options }: CallOptions & { readonly isProduction: boolean },
): Promise<VerifiedPurchase> {
  // Left out by mistake, it would be a check that nobody makes.
  if (typeof developerPayload !== 'string') throw new TypeError('developerPayload: expected a string');
  if (isProduction && purchaseId.startsWith(sandboxPrefix))
    return { isValid: false, reason: 'sandboxPurchase' };
  const details = await find(calls, { purchaseId, productId }, options);
  if (details === undefined) return { isValid: false, reason: 'notFound' };
  if (details.purchaseState !== 0) return { isValid: false, reason: 'voided', details };
  if (details.consumptionState !== 0) return { isValid: false, reason: 'consumed', details };
  if (details.developerPayload !== developerPayload)
    return { isValid: false, reason: 'otherPayload', details };
  return { isValid: true, details };
}

async function find(
  calls: Calls,
  ids: { readonly purchaseId: string; readonly productId: string },
  options: CallOptions,
): Promise<PurchaseDetails | undefined> {
  const nothingFound = 9001;
  if (ids.purchaseId === '') return undefined;
  try {
    return await calls.getPurchaseDetailsByProductId(ids, options);
  } catch (error) {
    if (error instanceof OpenTillError && error.code === nothingFound) return undefined;
    throw error;
  }
}
