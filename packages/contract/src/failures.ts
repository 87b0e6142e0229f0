// Every way in which a call of the purchase API fails: one closed table of code, HTTP status and text
// (the specification, "Errors"; which call answers with which is said by each operation of purchase-api/).

import Type, { type Static } from 'typebox';

export const PurchaseApiError = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: 'Error code.' }),
      message: Type.String({ description: 'What was expected, and what came.' }),
    }),
  },
  { $id: 'PurchaseApiError', description: 'The answer to a call that failed.' },
);
export type PurchaseApiError = Static<typeof PurchaseApiError>;

interface FailureRow {
  readonly code: number;
  readonly httpStatus: number;
  /** Used when the place that fails has nothing more exact to say. */
  readonly message: string;
}

export const failures = {
  valueMissing: { code: 9000, httpStatus: 400, message: 'A required value is missing or not usable.' },
  nothingFound: { code: 9001, httpStatus: 404, message: 'No result was found.' },
  unauthorized: {
    code: 401,
    httpStatus: 401,
    message:
      'The access token is missing, expired or not valid: send "Authorization: Bearer <access token>".',
  },
  invalidTokenRequest: { code: 400, httpStatus: 400, message: 'Invalid token request.' },
  invalidPackageName: {
    code: 9100,
    httpStatus: 400,
    message: 'The package name is invalid: it is not the one that the access token was issued for.',
  },
  searchRuleViolated: { code: 9101, httpStatus: 400, message: 'The search condition rules are violated.' },
  notPurchaseCompleted: {
    code: 9200,
    httpStatus: 409,
    message: 'The purchase does not exist or is not in the purchase-completed state.',
  },
  consumptionUnchangeable: {
    code: 9201,
    httpStatus: 409,
    message: 'The consumption state cannot be changed, or was already changed.',
  },
  severalRecords: { code: 9202, httpStatus: 409, message: 'Two or more records to change exist.' },
  eventsGone: {
    code: 9001,
    httpStatus: 410,
    message: 'The events that follow this place are not kept.',
  },
  malformedRequest: { code: 9999, httpStatus: 400, message: 'The request is not well-formed HTTP.' },
  unknownPath: { code: 9999, httpStatus: 404, message: 'There is no such path.' },
  methodNotAllowed: { code: 9999, httpStatus: 405, message: 'The path does not answer to this method.' },
  requestTimeout: { code: 9999, httpStatus: 408, message: 'The request did not arrive whole in time.' },
  bodyTooLarge: { code: 9999, httpStatus: 413, message: 'The request body is too large.' },
  tooManyRequests: { code: 9999, httpStatus: 429, message: 'Too many requests: try again later.' },
  headerTooLarge: { code: 9999, httpStatus: 431, message: 'The request header is too large.' },
  internalError: { code: 9999, httpStatus: 500, message: 'An undefined error occurred.' },
  unavailable: { code: 9999, httpStatus: 503, message: 'Temporarily unavailable: try again later.' },
} as const satisfies Record<string, FailureRow>;

export type FailureName = keyof typeof failures;

/** Failures that any call may meet before an operation has been chosen or while it runs. */
export const commonFailures = [
  'bodyTooLarge',
  'tooManyRequests',
  'headerTooLarge',
  'internalError',
  'unavailable',
] as const satisfies readonly FailureName[];
