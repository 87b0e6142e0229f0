// The error codes by meaning (the specification, "Errors"). The specification does not assign the common codes to
// cases, so a check accepts any plausible one.

import { errors } from '@opentill/contract/errors.ts';

/** An invalid token request. */
export const invalidTokenRequest = [errors.invalidTokenRequest.code];

/** A call with an invalid token. */
export const unauthorized = [errors.unauthorized.code];

/** A call without Authorization, which is also a missing value. */
export const withoutToken = [errors.unauthorized.code, errors.invalidRequest.code];

/** A rejected purchase call: all common codes except the one for an invalid token. */
export const refused = [errors.invalidRequest.code, errors.notFound.code, errors.internalError.code];

export const invalidPackageName = [errors.invalidPackageName.code];
export const searchRuleViolated = [errors.searchRuleViolated.code];
export const notPurchaseCompleted = [errors.notPurchaseCompleted.code];
export const consumptionUnchangeable = [errors.consumptionUnchangeable.code];
