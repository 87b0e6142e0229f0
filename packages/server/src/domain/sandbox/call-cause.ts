// Why a logged call failed: one sentence, from what the log stores about the call.

import { errors } from '@opentill/contract/errors.ts';
import { type CallCause, hints as explanations, type HintName } from '@opentill/contract/logged-request.ts';

interface CallFacts {
  readonly operationId: string;
  readonly path: string;
  /** Null if a fault closed the connection. */
  readonly httpStatus: number | null;
  /** The response body, perhaps truncated. */
  readonly answer: string;
  readonly errorCode: number | null;
  readonly faultPosition: number | null;
  readonly hints: readonly HintName[];
}

/** What a call that got 9001 looked for. */
const missing: Readonly<Record<string, string>> = {
  getPurchaseDetails: 'one-time purchase',
  getPurchaseDetailsByProductId: 'one-time purchase of this product',
  getRecurringPurchaseDetails: 'month of a subscription',
  getLastRecurringPurchaseDetails: 'first month of a subscription',
  manageRecurringPaymentStatus: 'month of a subscription',
};

/** Returns undefined for a call that succeeded. */
export function causeOfCall(call: CallFacts): CallCause | undefined {
  const { operationId, path, httpStatus, errorCode, answer, faultPosition, hints } = call;
  if (httpStatus !== null && errorCode === null) return undefined;
  if (faultPosition !== null) {
    const effect = httpStatus === null ? 'closed the connection' : 'was applied to this call';
    return { kind: 'fault', text: `Fault ${faultPosition + 1} of the list ${effect}.` };
  }
  // A missing content type is a hint even where the call was not rejected for it; a missing record is named below.
  const hint = hints.find((name) =>
    name === 'contentTypeMissing' ? errorCode === errors.invalidRequest.code : name !== 'recordMissing',
  );
  if (hint !== undefined) return { kind: 'hint', text: explanations[hint] };
  const record = missing[operationId];
  if (errorCode === errors.notFound.code && record !== undefined) {
    const [purchaseId = ''] = path.split(/[/?]/).slice(4);
    return { kind: 'notFound', text: `The app has no ${record} with the id ${purchaseId}.` };
  }
  return { kind: 'rejected', text: messageOf(answer) ?? `The server responded with HTTP ${httpStatus}.` };
}

/** Returns undefined for a response that is truncated. */
function messageOf(answer: string): string | undefined {
  try {
    const { error } = JSON.parse(answer) as { readonly error: { readonly message: string } };
    return error.message;
  } catch {
    return undefined;
  }
}
