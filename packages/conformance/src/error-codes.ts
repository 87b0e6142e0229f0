// The codes of the specification, "Errors", by what they mean. Which of the common ones a case is answered with
// is left open there, so that a check takes any that can be meant.

import { failures } from '@opentill/contract/failures.ts';

/** A token request that is refused. */
export const invalidTokenRequest = [failures.invalidTokenRequest.code];

/** A call whose token does not count. */
export const unauthorized = [failures.unauthorized.code];

/** A call without the header that would carry the token: its value is missing, too. */
export const withoutToken = [failures.unauthorized.code, failures.valueMissing.code];

/** A call that any purchase endpoint may refuse: all common codes but the one that asks for another token. */
export const refused = [failures.valueMissing.code, failures.nothingFound.code, failures.internalError.code];

export const invalidPackageName = [failures.invalidPackageName.code];
export const searchRuleViolated = [failures.searchRuleViolated.code];
export const notPurchaseCompleted = [failures.notPurchaseCompleted.code];
export const consumptionUnchangeable = [failures.consumptionUnchangeable.code];
