// What a logged call says about the habits of its caller: the hints that it earns by itself, and the facts from
// which others follow once calls are looked at in a row (docs/decisions/request-log.md).

import type { HintName } from '@opentill/contract/logged-request.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTokenLive, type TokenClaims } from '../domain/access-token.ts';
import type { HeaderReading } from '../domain/authorization-hint.ts';
import type { PackageName } from '../domain/identifiers.ts';
import type { CallFacts } from '../domain/request-hints.ts';
import { decideVoidedRange, type VoidedQuery } from '../domain/voided-range.ts';
import { isJson } from './content-types.ts';

/** A call as the log sees it, once it has been answered. */
export interface AnsweredCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Instants in ms: real time, and the app's. */
  readonly calledAt: number;
  readonly appTime: number;
  readonly answer: string;
  /** The token in the Authorization header, right or wrong in its form. */
  readonly header: (HeaderReading & { readonly claims: TokenClaims }) | undefined;
}

export function hintsOfCall(call: AnsweredCall, tokenLifetimeSeconds: number): HintName[] {
  const { request, reply } = call;
  if (request.call.operationId === getAccessToken.operationId) return hintsOfTokenCall(request, reply);
  const { packageName } = request.params as { readonly packageName?: string };
  const isOtherPackage =
    request.call.packageName !== null && !!packageName && packageName !== request.call.packageName;
  return [
    ...hintsOfHeader(call, tokenLifetimeSeconds),
    ...(isJson(request.headers['content-type']) ? [] : (['contentTypeMissing'] as const)),
    ...(isOtherPackage ? (['otherPackage'] as const) : []),
  ];
}

function hintsOfTokenCall({ call }: FastifyRequest, reply: FastifyReply): HintName[] {
  const { fault, packageName, isTokenFormRight } = call;
  const isRefused = reply.statusCode === 400 && fault === null && packageName !== null;
  return isRefused && isTokenFormRight ? ['clientSecretWrong'] : [];
}

/** Why a call was refused with 401, unless a fault wanted that. */
function hintsOfHeader(call: AnsweredCall, tokenLifetimeSeconds: number): HintName[] {
  const { request, reply, header, calledAt } = call;
  if (reply.statusCode !== 401 || request.call.fault !== null || header === undefined) return [];
  if (header.hint !== undefined) return [header.hint];
  const isLive = isTokenLive({
    claims: header.claims,
    now: calledAt,
    lifetimeSeconds: tokenLifetimeSeconds,
  });
  // An app that is known by its token means that only the end of that token was the matter.
  return [!isLive || request.call.packageName !== null ? 'tokenExpired' : 'tokenExpelled'];
}

export function factsOfCall(
  call: AnsweredCall,
  verifyToken: (token: string) => TokenClaims | undefined,
): CallFacts {
  const { request, reply } = call;
  if (reply.statusCode !== 200) return {};
  switch (request.call.operationId) {
    case getAccessToken.operationId: {
      const { access_token: token } = JSON.parse(call.answer) as { readonly access_token: string };
      const claims = verifyToken(token);
      return claims === undefined
        ? {}
        : { tokenStamp: `${claims.generation} ${claims.keyId} ${claims.issuedAtSeconds}` };
    }
    case getVoidedPurchases.operationId:
      return factsOfVoidedPage(call);
    default:
      return { purchaseId: (request.params as { readonly purchaseId: string }).purchaseId };
  }
}

/** The contract writes the continuationKey first. */
const keyFirst = '{"continuationKey":';

function factsOfVoidedPage({ request, appTime, answer }: AnsweredCall): CallFacts {
  const hasNextPage = answer.startsWith(keyFirst);
  const query = request.query as VoidedQuery;
  if (query.continuationKey !== undefined) return { hasNextPage };
  const range = decideVoidedRange(query, appTime, request.call.packageName as PackageName, []);
  return range.kind === 'range' ? { hasNextPage, range: { start: range.start, end: range.end } } : {};
}
