// The checks of a backend before it delivers a purchase.

import type { CallOptions } from './call-options.ts';
import type { PurchaseDetails } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

/** The ids that an app on a device reported, and the developerPayload of the order. */
export interface ClaimedPurchase {
  readonly purchaseId: string;
  readonly productId: string;
  /** The value that the backend assigned to the order, or `''`. */
  readonly developerPayload: string;
  /**
   * `open`, the default: the backend consumes what it delivers, so a consumed purchase was delivered before. `consumed`:
   * the device or the store consumes first. With `consumed` and `any` the backend has to know what it has delivered.
   */
  readonly consumption?: ExpectedConsumption | undefined;
}

const expectedConsumptions = ['open', 'consumed', 'any'] as const;
export type ExpectedConsumption = (typeof expectedConsumptions)[number];

/** The result of verifyPurchase; `isValid` false means that the purchase must not be delivered. */
export type VerifiedPurchase =
  | { readonly isValid: true; readonly details: PurchaseDetails }
  | {
      readonly isValid: false;
      /** `consumed` and `notConsumed`: other than the expected consumption. */
      readonly reason: 'voided' | 'consumed' | 'notConsumed' | 'otherPayload';
      readonly details: PurchaseDetails;
    }
  | {
      readonly isValid: false;
      /** `notFound`: this app has no such purchase of this product, or an id is not of the form of one. */
      readonly reason: 'notFound' | 'sandboxPurchase';
      readonly details?: undefined;
    };

interface Calls {
  getPurchaseDetailsByProductId(
    parameters: { purchaseId: string; productId: string },
    options: CallOptions,
  ): Promise<PurchaseDetails>;
}

/** The form of an id, and its largest sizes (the specification, "Limits"). */
const idForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
const purchaseIdMax = 20;
const productIdMax = 150;

/** The prefix of all purchase ids in the sandbox. */
const sandboxPrefix = 'SANDBOX';

export async function verifyPurchase(
  calls: Calls,
  { purchaseId, productId, developerPayload, consumption = 'open' }: ClaimedPurchase,
  { isProduction, ...options }: CallOptions & { readonly isProduction: boolean },
): Promise<VerifiedPurchase> {
  // Without these, JavaScript would silently skip a check.
  if (typeof developerPayload !== 'string') throw new TypeError('developerPayload: expected a string');
  if (!expectedConsumptions.includes(consumption)) {
    throw new TypeError(`consumption: expected one of ${expectedConsumptions.join(', ')}`);
  }
  // A device may report anything, and only an id of this form has one spelling to store.
  if (!isId(purchaseId, purchaseIdMax) || !isId(productId, productIdMax))
    return { isValid: false, reason: 'notFound' };
  if (isProduction && purchaseId.startsWith(sandboxPrefix))
    return { isValid: false, reason: 'sandboxPurchase' };
  const details = await find(calls, { purchaseId, productId }, options);
  if (details === undefined) return { isValid: false, reason: 'notFound' };
  if (details.purchaseState !== 0) return { isValid: false, reason: 'voided', details };
  const isConsumed = details.consumptionState !== 0;
  if (consumption === 'open' && isConsumed) return { isValid: false, reason: 'consumed', details };
  if (consumption === 'consumed' && !isConsumed) return { isValid: false, reason: 'notConsumed', details };
  if (details.developerPayload !== developerPayload)
    return { isValid: false, reason: 'otherPayload', details };
  return { isValid: true, details };
}

function isId(value: unknown, lengthMax: number): boolean {
  return typeof value === 'string' && value.length <= lengthMax && idForm.test(value);
}

async function find(
  calls: Calls,
  ids: { readonly purchaseId: string; readonly productId: string },
  options: CallOptions,
): Promise<PurchaseDetails | undefined> {
  const notFound = 9001;
  try {
    return await calls.getPurchaseDetailsByProductId(ids, options);
  } catch (error) {
    if (error instanceof OpenTillError && error.code === notFound) return undefined;
    throw error;
  }
}
