// Explains a logged call, from what the log stores about it: what production would reject, how to fix the request, and
// why the call failed (docs/decisions/sandbox.md).

import { errors } from '@opentill/contract/errors.ts';
import { hints as explanations, type HintName, unknownOperation } from '@opentill/contract/logged-request.ts';
import { purchaseOperations } from '@opentill/contract/operations.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { nearestPath } from './nearest-path.ts';

/** Replaces a token, a secret or a part of it without whitespace, or the id of a buyer. */
export const mask = '***';

/** Query parameters that may be the id of a buyer, which an erasure could not find in a stored URL. */
export const buyerParameters: readonly string[] = ['buyerId', 'id', 'q'];

interface CallFacts {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Null if a fault closed the connection. */
  readonly httpStatus: number | null;
  /** The response body, perhaps truncated. */
  readonly response: string;
  readonly errorCode: number | null;
  readonly faultPosition: number | null;
  /** The header with the token masked; empty without one. */
  readonly authorization: string;
  readonly isJson: boolean;
  /** A body was sent to an operation that takes none. */
  readonly hasIgnoredBody: boolean;
  /** The masked client secret that a token request was checked with; null if it was not checked. */
  readonly secretShape: string | null;
}

/** Hints need the package name of the app that made the call. */
export type LoggedCallFacts = CallFacts & { readonly packageName: string };

export function hintsOfCall(call: LoggedCallFacts): HintName[] {
  if (call.operationId === getAccessToken.operationId) return hintsOfTokenRequest(call);
  if (call.operationId === unknownOperation)
    return call.httpStatus === errors.unknownPath.status ? ['unknownPath'] : [];
  return [
    ...(isRejectedToken(call) ? [hintOfHeader(call.authorization)] : []),
    ...(call.isJson ? [] : (['contentTypeMissing'] as const)),
    ...(call.hasIgnoredBody ? (['bodyIgnored'] as const) : []),
    ...(hasEmptyQueryValue(call) ? (['emptyQueryValue'] as const) : []),
    ...(isOfOtherPackage(call) ? (['otherPackage'] as const) : hintsOfError(call)),
  ];
}

const isRejectedToken = ({ httpStatus, faultPosition }: CallFacts): boolean =>
  httpStatus === errors.unauthorized.status && faultPosition === null;

/** The first form that matches the header counts. */
const headerForms: readonly (readonly [RegExp, HintName])[] = [
  [/^Bearer \*{3}$/, 'tokenEnded'],
  [/^bearer \*{3}$/i, 'bearerLowerCase'],
  [/^\*{3}$/, 'bearerMissing'],
  [/<\*{3}>/, 'tokenInBrackets'],
  [/^bearer\*{3}$/i, 'bearerSpaceMissing'],
];

function hintOfHeader(authorization: string): HintName {
  return headerForms.find(([form]) => form.test(authorization))?.[1] ?? 'authorizationMalformed';
}

/** Another package is rejected before anything else of the path is read. */
function isOfOtherPackage(call: LoggedCallFacts): boolean {
  const operation = purchaseOperations.find(({ operationId }) => operationId === call.operationId);
  const place = operation?.path.split('/').indexOf(':packageName') ?? -1;
  const [path = ''] = call.path.split('?', 1);
  const packageName = path.split('/')[place] ?? '';
  return packageName !== '' && packageName !== call.packageName && !isRejectedToken(call);
}

function hasEmptyQueryValue({ operationId, path }: CallFacts): boolean {
  return (
    operationId === getVoidedPurchases.operationId && /[?&](?:continuationKey|maxResults)=?(?:&|$)/.test(path)
  );
}

const errorHints: ReadonlyMap<number | null, HintName> = new Map([
  [errors.notFound.code, 'recordMissing'],
  [errors.notPurchaseCompleted.code, 'notCompleted'],
  [errors.consumptionUnchangeable.code, 'consumptionFinal'],
]);

/** The meaning for the backend of an error that was not injected. */
function hintsOfError({ errorCode, faultPosition }: CallFacts): HintName[] {
  const hint = errorHints.get(errorCode);
  return hint === undefined || faultPosition !== null ? [] : [hint];
}

function hintsOfTokenRequest({ authorization, path, httpStatus, faultPosition, secretShape }: CallFacts) {
  const found: HintName[] = [];
  const secret = secretShape ?? '';
  const isWrong = secretShape !== null && httpStatus !== 200 && faultPosition === null;
  if (isWrong) found.push('clientSecretWrong');
  if (isWrong && secret !== secret.trim()) found.push('secretHasWhitespace');
  if (secret.trim().includes(' ')) found.push('secretNotEncoded');
  if (path.includes('?')) found.push('credentialsInQuery');
  if (authorization.startsWith('Basic ')) found.push('credentialsInHeader');
  return found;
}

/** The explanation of a hint, for an unknown path with the nearest one. */
export function explanationOf(hint: HintName, call: Pick<CallFacts, 'method' | 'path'>): string {
  const nearest = hint === 'unknownPath' ? nearestPath(call) : undefined;
  return nearest === undefined ? explanations[hint] : `${explanations[hint]} The nearest path is ${nearest}.`;
}

/** The target of a call that got 9001. */
const missing: Readonly<Record<string, string>> = {
  getPurchaseDetails: 'one-time purchase',
  getPurchaseDetailsByProductId: 'one-time purchase of this product',
  getRecurringPurchaseDetails: 'period of a subscription',
  getLastRecurringPurchaseDetails: 'first period of a subscription',
  manageRecurringPaymentStatus: 'period of a subscription',
};

/** A missing record is named with its id, and no call is rejected for an empty value or a body. */
const notCauses: ReadonlySet<HintName> = new Set(['recordMissing', 'emptyQueryValue', 'bodyIgnored']);

/** One sentence; undefined for a call that succeeded. */
export function causeOfCall(call: CallFacts, hints: readonly HintName[]): string | undefined {
  const { operationId, path, httpStatus, errorCode, response, faultPosition } = call;
  if (httpStatus !== null && errorCode === null) return undefined;
  if (faultPosition !== null) {
    const effect = httpStatus === null ? 'closed the connection' : 'was applied to this call';
    return `Fault ${faultPosition + 1} of the list ${effect}.`;
  }
  // A missing content type is a hint even where the call was not rejected for it.
  const hint = hints.find((name) =>
    name === 'contentTypeMissing' ? errorCode === errors.invalidRequest.code : !notCauses.has(name),
  );
  if (hint !== undefined) return explanationOf(hint, call);
  const record = missing[operationId];
  if (errorCode === errors.notFound.code && record !== undefined) {
    const [purchaseId = ''] = path.split(/[/?]/).slice(4);
    return `The app has no ${record} with the id ${purchaseId}.`;
  }
  return messageOf(response) ?? `The server responded with HTTP ${httpStatus}.`;
}

/** Returns undefined for a response that is not stored or is truncated. */
function messageOf(response: string): string | undefined {
  try {
    const { error } = JSON.parse(response) as { readonly error: { readonly message: string } };
    return error.message;
  } catch {
    return undefined;
  }
}
