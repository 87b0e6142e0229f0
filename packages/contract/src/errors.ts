// The errors of all four APIs: which calls can get them, and the two forms of their responses.

import Type, { type Static } from 'typebox';
import type { ErrorName } from './error-table.ts';

export { type ErrorName, errors } from './error-table.ts';

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

/** Errors that any call of the operator and developer APIs can get. */
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
    type: Type.String({
      format: 'uri-reference',
      description:
        'Identifies the kind of problem: the path of its section in the documentation of the server.',
    }),
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
