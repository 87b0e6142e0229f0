// Consumes a purchase and, if a response is lost, reads the purchase to determine the outcome.

import type { CallOptions } from './call-options.ts';
import type { ConsumptionResult, PurchaseDetails } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

/** The outcome of consumeOnce. */
export interface SettledConsumption {
  readonly purchaseId: string;
  /**
   * `consumed`: consumed by this call. `settled`: a response was lost, and the purchase is consumed now, by this call
   * unless another client consumed it at the same time. `consumedBefore`: consumed before this call.
   */
  readonly outcome: 'consumed' | 'settled' | 'consumedBefore';
}

interface Calls {
  consumePurchase(parameters: { purchaseId: string }, options: CallOptions): Promise<ConsumptionResult>;
  getPurchaseDetails(parameters: { purchaseId: string }, options: CallOptions): Promise<PurchaseDetails>;
}

/** Attempts before the last error is thrown. */
const attemptsMax = 3;

const unchangeable = 9201;

export async function consumeOnce(
  calls: Calls,
  purchaseId: string,
  options: CallOptions,
): Promise<SettledConsumption> {
  let isResponseLost = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await calls.consumePurchase({ purchaseId }, options);
      return { purchaseId, outcome: 'consumed' };
    } catch (error) {
      if (!(error instanceof OpenTillError)) throw error;
      isResponseLost ||= error.isOutcomeUnknown;
      // Any other code identifies the outcome.
      if (error.code !== unchangeable && !(error.isOutcomeUnknown && isUndecided(error))) throw error;
      if (await isConsumed(calls, { purchaseId, error, options })) {
        return { purchaseId, outcome: isResponseLost ? 'settled' : 'consumedBefore' };
      }
      if (attempt >= attemptsMax) throw error;
    }
  }
}

/** There was no response, or one that does not show whether the purchase was consumed. */
function isUndecided({ httpStatus }: OpenTillError): boolean {
  return httpStatus === undefined || httpStatus < 300 || httpStatus >= 500;
}

/** Returns false for a voided purchase, because the next attempt gets its error. */
async function isConsumed(
  calls: Calls,
  {
    purchaseId,
    error,
    options,
  }: { readonly purchaseId: string; readonly error: OpenTillError; readonly options: CallOptions },
): Promise<boolean> {
  const notFound = 9001;
  try {
    const { consumptionState, purchaseState } = await calls.getPurchaseDetails({ purchaseId }, options);
    return consumptionState === 1 && purchaseState === 0;
  } catch (readError) {
    // The purchase is a period of a subscription, which cannot be consumed.
    if (readError instanceof OpenTillError && readError.code === notFound) throw error;
    throw readError;
  }
}
