// The request log of the sandbox: an app's last calls of the purchase API, each with its hints.

import Type, { type Static } from 'typebox';
import { oneNameOf, Timestamp } from './fields.ts';

/** Calls of one app that are kept. */
export const loggedRequestsMax = 1_000;

/** Of an answer's body this many bytes are kept, and of a path this many characters. */
export const loggedAnswerBytesMax = 4_096;
export const loggedPathMax = 512;

/** What each hint is about, for people. */
export const hints = {
  contentTypeMissing:
    'The call has no "Content-Type: application/json". Production rejects it with 9000 unless its operator has relaxed this check.',
  bearerLowerCase: 'The scheme of the Authorization header must be "Bearer" with a capital B.',
  bearerMissing: 'The Authorization header contains only a token: put "Bearer" and one space before it.',
  tokenInBrackets: 'The token is in angle brackets, which are not part of it.',
  bearerSpaceMissing: 'There must be exactly one space between "Bearer" and the token.',
  authorizationMalformed: 'The Authorization header contains more than "Bearer", one space and the token.',
  tokenExpired:
    'The token has expired. Request a new one when it has fewer than 600 seconds left, and after a 401.',
  tokenExpelled: 'The token was expelled, or its app was disabled. Request a new one after a 401.',
  clientSecretWrong: 'The client_secret does not belong to this client_id, or the app is disabled.',
  otherPackage: 'The packageName in the path does not belong to the app of the token.',
} as const satisfies Record<string, string>;

export const HintName = oneNameOf(hints);
export type HintName = Static<typeof HintName>;

const RequestHint = Type.Object(
  {
    hint: HintName,
    explanation: Type.String({ description: 'What is meant, and what to do.' }),
  },
  { $id: 'RequestHint' },
);

export const LoggedRequest = Type.Object(
  {
    time: Type.Integer({ ...Timestamp, description: 'When the call came in, in real time, ms.' }),
    appTime: Type.Integer({ ...Timestamp, description: "The same instant by the app's own clock." }),
    requestId: Type.String({ description: 'The x-request-id of the answer.' }),
    operationId: Type.String(),
    method: Type.String(),
    path: Type.String({
      maxLength: loggedPathMax,
      description: 'Path and query as they came, without what looks like a secret, cut if they were longer.',
    }),
    httpStatus: Type.Optional(
      Type.Integer({ description: 'Absent when a fault cut the connection instead of answering.' }),
    ),
    errorCode: Type.Optional(Type.Integer({ description: 'Present when the call failed.' })),
    latencyMs: Type.Number({ minimum: 0 }),
    answer: Type.String({
      description: `The body of the answer, without tokens, at most ${loggedAnswerBytesMax} bytes of it.`,
    }),
    isAnswerCut: Type.Boolean({ description: 'The body was longer than what is kept.' }),
    fault: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The place in the list of faults of the one that applied.' }),
    ),
    hints: Type.Array(RequestHint, {
      description: 'What production would reject, and what is wrong with the token or secret.',
    }),
  },
  { $id: 'LoggedRequest' },
);
export type LoggedRequest = Static<typeof LoggedRequest>;
