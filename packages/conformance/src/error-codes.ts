// The codes of the specification, "Errors", by what they mean. Which of the common ones a case is answered with
// is left open there, so that a check takes any that can be meant.

import { errors } from '@opentill/contract/errors.ts';

/** A token request that is refused. */
export const invalidTokenRequest = [errors.invalidTokenRequest.code];

/** A call whose token does not count. */
export const unauthorized = [errors.unauthorized.code];

/** A call without the header that would carry the token: its value is missing, too. */
export const withoutToken = [errors.unauthorized.code, errors.invalidRequest.code];

/** A call that any purchase endpoint may refuse: all common codes but the one that asks for another token. */
export const refused = [errors.invalidRequest.code, errors.notFound.code, errors.internalError.code];

export const invalidPackageName = [errors.invalidPackageName.code];
export const searchRuleViolated = [errors.searchRuleViolated.code];
export const notPurchaseCompleted = [errors.notPurchaseCompleted.code];
export const consumptionUnchangeable = [errors.consumptionUnchangeable.code];
