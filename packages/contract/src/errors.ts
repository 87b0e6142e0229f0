// The errors of all four APIs in one table. The purchase and events APIs send its code and title, the operator
// and sandbox APIs send RFC 9457 problem details.

import Type, { type Static } from 'typebox';

interface ErrorRow {
  /** `error.code` on the public listener (the specification, "Errors"). */
  readonly code: number;
  /** The HTTP status. */
  readonly status: number;
  /** The problem type: a URI reference to its row in the documentation that the server serves. */
  readonly type: string;
  /** The message, unless a more specific one is available. */
  readonly title: string;
}

export const errors = {
  invalidRequest: {
    code: 9000,
    status: 400,
    type: '/docs/problems#invalid-request',
    title: 'A required value is missing or invalid.',
  },
  invalidTokenRequest: {
    code: 400,
    status: 400,
    type: '/docs/problems#invalid-token-request',
    title: 'The token request is invalid.',
  },
  invalidPackageName: {
    code: 9100,
    status: 400,
    type: '/docs/problems#invalid-package-name',
    title: 'The package name is not the one that the access token was issued for.',
  },
  searchRuleViolated: {
    code: 9101,
    status: 400,
    type: '/docs/problems#search-rule-violated',
    title: 'The query violates a search rule.',
  },
  malformedRequest: {
    code: 9999,
    status: 400,
    type: '/docs/problems#malformed-request',
    title: 'The request is not valid HTTP.',
  },
  unauthorized: {
    code: 401,
    status: 401,
    type: '/docs/problems#unauthorized',
    title: 'The access token or operator key is missing, expired or invalid.',
  },
  forbidden: {
    code: 9999,
    status: 403,
    type: '/docs/problems#forbidden',
    title: 'The role of the operator key does not allow this operation.',
  },
  notFound: {
    code: 9001,
    status: 404,
    type: '/docs/problems#not-found',
    title: 'Resource not found.',
  },
  unknownPath: {
    code: 9999,
    status: 404,
    type: '/docs/problems#unknown-path',
    title: 'Path not found.',
  },
  methodNotAllowed: {
    code: 9999,
    status: 405,
    type: '/docs/problems#method-not-allowed',
    title: 'The path does not support this method.',
  },
  requestTimeout: {
    code: 9999,
    status: 408,
    type: '/docs/problems#request-timeout',
    title: 'The request did not arrive completely in time.',
  },
  notPurchaseCompleted: {
    code: 9200,
    status: 409,
    type: '/docs/problems#not-purchase-completed',
    title: 'The purchase does not exist or is not in the purchase-completed state.',
  },
  consumptionUnchangeable: {
    code: 9201,
    status: 409,
    type: '/docs/problems#consumption-unchangeable',
    title: 'The consumption state cannot be changed or has already been changed.',
  },
  multipleRecords: {
    code: 9202,
    status: 409,
    type: '/docs/problems#multiple-records',
    title: 'Multiple records match the purchase.',
  },
  conflict: {
    code: 9999,
    status: 409,
    type: '/docs/problems#conflict',
    title: 'The request conflicts with the current state.',
  },
  gone: {
    code: 9001,
    status: 410,
    type: '/docs/problems#gone',
    title: 'The requested data is no longer available.',
  },
  payloadTooLarge: {
    code: 9999,
    status: 413,
    type: '/docs/problems#payload-too-large',
    title: 'The request body is too large.',
  },
  unsupportedMediaType: {
    code: 9000,
    status: 415,
    type: '/docs/problems#unsupported-media-type',
    title: 'The Content-Type of the request is not application/json.',
  },
  misdirectedRequest: {
    code: 9999,
    status: 421,
    type: '/docs/problems#misdirected-request',
    title: 'The Host header names another server.',
  },
  tooManyRequests: {
    code: 9999,
    status: 429,
    type: '/docs/problems#too-many-requests',
    title: 'Too many requests. Try again later.',
  },
  headerTooLarge: {
    code: 9999,
    status: 431,
    type: '/docs/problems#header-too-large',
    title: 'The request header is too large.',
  },
  internalError: {
    code: 9999,
    status: 500,
    type: '/docs/problems#internal-error',
    title: 'An internal error occurred.',
  },
  unavailable: {
    code: 9999,
    status: 503,
    type: '/docs/problems#unavailable',
    title: 'The service is temporarily unavailable. Try again later.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorName = keyof typeof errors;

/** Errors that occur before the operation of a call is known. */
export const protocolErrors = [
  'malformedRequest',
  'unknownPath',
  'methodNotAllowed',
  'requestTimeout',
] as const satisfies readonly ErrorName[];

/** The same for the operator API. */
export const protocolProblems = [
  ...protocolErrors,
  'misdirectedRequest',
] as const satisfies readonly ErrorName[];

/** Errors that any call of the purchase and events APIs can get. */
export const commonErrors = [
  'payloadTooLarge',
  'tooManyRequests',
  'headerTooLarge',
  'internalError',
  'unavailable',
] as const satisfies readonly ErrorName[];

/** Errors that any call of the operator and sandbox APIs can get. */
export const commonProblems = ['unauthorized', ...commonErrors] as const satisfies readonly ErrorName[];

export const PurchaseApiError = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: 'Error code.' }),
      message: Type.String({ description: 'What was expected, and what was received.' }),
    }),
  },
  { $id: 'PurchaseApiError', description: 'The response to a failed call.' },
);
export type PurchaseApiError = Static<typeof PurchaseApiError>;

/** One rejected value; `path` is a JSON pointer into the body, or the name of a query parameter. */
export const ProblemEntry = Type.Object({
  path: Type.String({ description: 'A JSON pointer into the body, or the name of a query parameter.' }),
  message: Type.String({ description: 'What was expected, and what was received.' }),
});
export type ProblemEntry = Static<typeof ProblemEntry>;

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'Identifies the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({
      description: 'The problem in this request: what was expected, and what was received.',
    }),
    errors: Type.Optional(Type.Array(ProblemEntry, { description: 'Each rejected value.' })),
    error: Type.Optional(
      Type.Object(
        { code: Type.Integer(), message: Type.String() },
        { description: 'Only on the public listener: the same error in the format of the purchase API.' },
      ),
    ),
  },
  { $id: 'Problem', description: 'RFC 9457 problem details.' },
);
export type Problem = Static<typeof Problem>;
