// Every way in which a call of the operator API or the sandbox API fails: one closed table, answered as
// RFC 9457 problem details (application/problem+json). Which call answers with which is said by each
// operation of operator-api/.

import Type, { type Static } from 'typebox';

interface ProblemRow {
  /** Names the problem for programs; a URI reference, as RFC 9457 asks. */
  readonly type: string;
  readonly status: number;
  /** The same for every occurrence; what happened this time is said by `detail`. */
  readonly title: string;
  /** What `error.code` says on the public listener (the specification, "Errors"). */
  readonly code: number;
}

export const problems = {
  invalidRequest: {
    type: '/docs/problems#invalid-request',
    status: 400,
    title: 'A value of the request is missing or not usable.',
    code: 9000,
  },
  malformedRequest: {
    type: '/docs/problems#malformed-request',
    status: 400,
    title: 'The request is not well-formed HTTP.',
    code: 9999,
  },
  unauthorized: {
    type: '/docs/problems#unauthorized',
    status: 401,
    title: 'The key or token is missing or not valid.',
    code: 401,
  },
  forbidden: {
    type: '/docs/problems#forbidden',
    status: 403,
    title: 'The role of the operator key does not allow this call.',
    code: 9999,
  },
  notFound: {
    type: '/docs/problems#not-found',
    status: 404,
    title: 'There is no such thing.',
    code: 9001,
  },
  unknownPath: {
    type: '/docs/problems#unknown-path',
    status: 404,
    title: 'There is no such path.',
    code: 9999,
  },
  methodNotAllowed: {
    type: '/docs/problems#method-not-allowed',
    status: 405,
    title: 'The path does not answer to this method.',
    code: 9999,
  },
  requestTimeout: {
    type: '/docs/problems#request-timeout',
    status: 408,
    title: 'The request did not arrive whole in time.',
    code: 9999,
  },
  conflict: {
    type: '/docs/problems#conflict',
    status: 409,
    title: 'The request contradicts what is stored.',
    code: 9999,
  },
  gone: {
    type: '/docs/problems#gone',
    status: 410,
    title: 'What is asked for is not kept.',
    code: 9001,
  },
  payloadTooLarge: {
    type: '/docs/problems#payload-too-large',
    status: 413,
    title: 'The request body is too large.',
    code: 9999,
  },
  unsupportedMediaType: {
    type: '/docs/problems#unsupported-media-type',
    status: 415,
    title: 'The request body is not application/json.',
    code: 9000,
  },
  tooManyRequests: {
    type: '/docs/problems#too-many-requests',
    status: 429,
    title: 'Too many requests: try again later.',
    code: 9999,
  },
  headerTooLarge: {
    type: '/docs/problems#header-too-large',
    status: 431,
    title: 'The request header is too large.',
    code: 9999,
  },
  internalError: {
    type: '/docs/problems#internal-error',
    status: 500,
    title: 'An undefined error occurred.',
    code: 9999,
  },
  unavailable: {
    type: '/docs/problems#unavailable',
    status: 503,
    title: 'Temporarily unavailable: try again later.',
    code: 9999,
  },
} as const satisfies Record<string, ProblemRow>;

export type ProblemName = keyof typeof problems;

/** Problems that any call may meet before an operation has been chosen or while it runs. */
export const commonProblems = [
  'unauthorized',
  'payloadTooLarge',
  'tooManyRequests',
  'headerTooLarge',
  'internalError',
  'unavailable',
] as const satisfies readonly ProblemName[];

/** One value that was refused; `path` is a JSON pointer into the body, or the name of a query parameter. */
export const ProblemEntry = Type.Object({
  path: Type.String({ description: 'A JSON pointer into the body, or the name of a query parameter.' }),
  message: Type.String({ description: 'What was expected, and what came.' }),
});
export type ProblemEntry = Static<typeof ProblemEntry>;

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'Names the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What happened this time: what was expected, and what came.' }),
    errors: Type.Optional(Type.Array(ProblemEntry, { description: 'Each value that was refused.' })),
    error: Type.Optional(
      Type.Object(
        { code: Type.Integer(), message: Type.String() },
        { description: 'On the public listener only, in the shape of every error of the purchase API.' },
      ),
    ),
  },
  { $id: 'Problem', description: 'RFC 9457 problem details.' },
);
export type Problem = Static<typeof Problem>;
