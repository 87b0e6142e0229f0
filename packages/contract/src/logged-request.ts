// The request log of the sandbox: an app's latest calls of the purchase API, each with its hints.

import Type, { type Static } from 'typebox';
import { oneNameOf, Timestamp } from './fields.ts';

/** Calls retained for each app. */
export const loggedRequestsMax = 1_000;

/** Bytes of a response body, and characters of a path and of an Authorization header, that are retained. */
export const loggedResponseBytesMax = 4_096;
export const loggedPathMax = 512;
export const loggedHeaderMax = 100;

/** The operationId of a call whose path or method no operation has. */
export const unknownOperation = 'unknown';

/** The explanation of each hint. */
export const hints = {
  contentTypeMissing:
    'The call has no "Content-Type: application/json". Production rejects it with 9000 unless its operator has relaxed this check.',
  bearerLowerCase: 'The scheme of the Authorization header must be "Bearer" with a capital B.',
  bearerMissing: 'The Authorization header contains only a token: put "Bearer" and one space before it.',
  tokenInBrackets: 'The token is in angle brackets, which are not part of it.',
  bearerSpaceMissing: 'There must be exactly one space between "Bearer" and the token.',
  authorizationMalformed: 'The Authorization header contains more than "Bearer", one space and the token.',
  tokenEnded:
    'The token has expired, was expelled, or its app is disabled. Request a new one when it has fewer than 600 seconds left, and after a 401.',
  clientSecretWrong: 'The client_secret does not belong to this client_id, or the app is disabled.',
  secretHasWhitespace:
    'The client_secret starts or ends with a space or line break, such as the one at the end of a file. Trim it when you read it.',
  secretNotEncoded:
    'The client_secret arrived with a space, as happens to a "+" that is not encoded as "%2B". Encode each value of the form.',
  credentialsInQuery:
    'The URL contains client_id or client_secret, which are ignored there and end up in the logs of proxies. Send them in the form of the body.',
  credentialsInHeader:
    'The Authorization header contains Basic credentials, which are ignored. Send client_id and client_secret in the form of the body.',
  unknownPath: 'No operation has this path. This server has version v2 of the purchase API.',
  bodyIgnored: 'The body of the call is ignored: all that the operation needs is in the path.',
  emptyQueryValue:
    'An empty continuationKey or maxResults counts as absent, so an empty key reads the first page again. End the loop when a response has no continuationKey.',
  otherPackage: 'The packageName in the path does not belong to the app of the token.',
  recordMissing:
    'Check the whole id and the environment. One-time purchases are read with getPurchaseDetails, periods of subscriptions with getRecurringPurchaseDetails.',
  notCompleted:
    'The app has no completed purchase with this id: it does not exist or was voided. Do not deliver it.',
  consumptionFinal:
    'The purchase was consumed before, or is a period of a subscription, which is never consumed. If an earlier attempt got no response, treat this one as a success.',
} as const satisfies Record<string, string>;

export const HintName = oneNameOf(hints);
export type HintName = Static<typeof HintName>;

const RequestHint = Type.Object(
  {
    hint: HintName,
    explanation: Type.String({ description: 'What the hint means and how to fix the request.' }),
  },
  { $id: 'RequestHint' },
);

export const LoggedRequest = Type.Object(
  {
    time: Type.Integer({ ...Timestamp, description: 'When the request arrived, in real time, in ms.' }),
    appTime: Type.Integer({ ...Timestamp, description: "The same instant by the app's clock." }),
    requestId: Type.String({ description: 'The x-request-id of the response.' }),
    operationId: Type.String({
      description: `\`${unknownOperation}\` if no operation has the path and the method.`,
    }),
    method: Type.String(),
    path: Type.String({
      maxLength: loggedPathMax,
      description: `Path and query as received, with the token and the client secret replaced by ***, truncated to ${loggedPathMax} characters. A token request has the names of its credentials in the query alone.`,
    }),
    httpStatus: Type.Optional(
      Type.Integer({ description: 'Absent if a fault closed the connection without a response.' }),
    ),
    errorCode: Type.Optional(Type.Integer({ description: 'Present if the call failed.' })),
    latencyMs: Type.Number({ minimum: 0 }),
    response: Type.String({
      description: `The response body with the token of the call and developer payloads replaced by ***, truncated to ${loggedResponseBytesMax} bytes. It is empty for a token request, whose response is not stored.`,
    }),
    isResponseCut: Type.Boolean({ description: 'Whether the response body was truncated.' }),
    fault: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The index of the applied fault in the list of faults, from 0.',
      }),
    ),
    cause: Type.Optional(Type.String({ description: 'Why the call failed, in one sentence for people.' })),
    hints: Type.Array(RequestHint, {
      description: 'What production would reject, and likely mistakes in the request.',
    }),
  },
  { $id: 'LoggedRequest' },
);
export type LoggedRequest = Static<typeof LoggedRequest>;
