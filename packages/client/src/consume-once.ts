// Consuming a purchase although an answer may get lost: what became of it is read back.

import type { CallOptions } from './call-options.ts';
import type { ConsumptionResult, PurchaseDetails } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

export interface SettledConsumption {
  readonly purchaseId: string;
  /**
   * `consumed`: by this call. `settled`: an answer was lost, and reading back shows that the purchase is
   * consumed, by this call unless somebody else did so at the same moment. `consumedBefore`: by somebody else.
   */
  readonly outcome: 'consumed' | 'settled' | 'consumedBefore';
}

interface Calls {
  consumePurchase(parameters: { purchaseId: string }, options: CallOptions): Promise<ConsumptionResult>;
  getPurchaseDetails(parameters: { purchaseId: string }, options: CallOptions): Promise<PurchaseDetails>;
}

/** Reading back shows that an attempt did nothing at most so often; then its error is given. */
const attemptsMax = 3;

const unchangeable = 9201;

export async function consumeOnce(
  calls: Calls,
  purchaseId: string,
  options: CallOptions,
): Promise<SettledConsumption> {
  let isAnswerLost = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await calls.consumePurchase({ purchaseId }, options);
      return { purchaseId, outcome: 'consumed' };
    } catch (error) {
      if (!(error instanceof OpenTillError)) throw error;
      isAnswerLost ||= error.isOutcomeUnknown;
      // Any other code says by itself what became of the purchase.
      if (error.code !== unchangeable && !(error.isOutcomeUnknown && isUnsaid(error))) throw error;
      if (await isConsumed(calls, { purchaseId, error, options })) {
        return { purchaseId, outcome: isAnswerLost ? 'settled' : 'consumedBefore' };
      }
      if (attempt >= attemptsMax) throw error;
    }
  }
}

/** Nothing was answered, or an error of which nobody knows whether it came before or after the change. */
function isUnsaid({ httpStatus }: OpenTillError): boolean {
  return httpStatus === undefined || httpStatus < 300 || httpStatus >= 500;
}

/** Of a purchase that was voided meanwhile the next attempt tells. */
async function isConsumed(
  calls: Calls,
  {
    purchaseId,
    error,
    options,
  }: { readonly purchaseId: string; readonly error: OpenTillError; readonly options: CallOptions },
): Promise<boolean> {
  const nothingFound = 9001;
  try {
    const { consumptionState, purchaseState } = await calls.getPurchaseDetails({ purchaseId }, options);
    return consumptionState === 1 && purchaseState === 0;
  } catch (readError) {
    // A subscription: it is not consumed, and not read as a one-time purchase.
    if (readError instanceof OpenTillError && readError.code === nothingFound) throw error;
    throw readError;
  }
}
