// The hints of a logged call: what production would reject, and why a token or secret was wrong
// (docs/decisions/sandbox.md).

import { errors } from '@opentill/contract/errors.ts';
import type { HintName } from '@opentill/contract/logged-request.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTokenLive, type TokenClaims } from '../../domain/tokens/access-token.ts';
import type { HeaderReading } from '../../domain/tokens/authorization-hint.ts';
import { isJson } from '../request-body.ts';
import { hintsOfPlaces, type TokenParameters } from './misplaced-credentials.ts';

/** A call after its response. */
export interface AnsweredCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Real time, ms. */
  readonly calledAt: number;
  readonly answer: string;
  /** A token found in the Authorization header, even if the header is malformed. */
  readonly header: (HeaderReading & { readonly claims: TokenClaims }) | undefined;
}

export function hintsOfCall(call: AnsweredCall, tokenLifetimeSeconds: number): HintName[] {
  const { request } = call;
  if (request.call.operationId === getAccessToken.operationId) return hintsOfTokenCall(request);
  const { packageName } = request.params as { readonly packageName?: string };
  const isOtherPackage =
    request.call.packageName !== null && !!packageName && packageName !== request.call.packageName;
  return [
    ...hintsOfHeader(call, tokenLifetimeSeconds),
    ...(isJson(request.headers['content-type']) ? [] : (['contentTypeMissing'] as const)),
    ...(isOtherPackage ? (['otherPackage'] as const) : hintsOfError(request)),
  ];
}

const errorHints: ReadonlyMap<string, HintName> = new Map([
  [String(errors.notFound.code), 'recordMissing'],
  [String(errors.notPurchaseCompleted.code), 'notCompleted'],
  [String(errors.consumptionUnchangeable.code), 'consumptionFinal'],
]);

/** What an error that was not injected means for the backend. */
function hintsOfError({ call: { outcome, fault } }: FastifyRequest): HintName[] {
  const hint = errorHints.get(outcome);
  return hint === undefined || fault !== null ? [] : [hint];
}

function hintsOfTokenCall(request: FastifyRequest): HintName[] {
  const { packageName, secretMatch } = request.call;
  if (packageName === null) return [];
  const { client_secret: sent } = (request.body ?? {}) as TokenParameters;
  const isWrong = secretMatch === 'none';
  const secret = isWrong ? (sent as string) : '';
  const trimmed = secret.trim();
  const isNotEncoded = secretMatch === 'notEncoded' || trimmed.includes(' ');
  return [
    ...(isWrong ? (['clientSecretWrong'] as const) : []),
    ...(trimmed !== secret ? (['secretHasWhitespace'] as const) : []),
    ...(isNotEncoded ? (['secretNotEncoded'] as const) : []),
    ...hintsOfPlaces(request),
  ];
}

/** Explains a 401 that was not injected. */
function hintsOfHeader(call: AnsweredCall, tokenLifetimeSeconds: number): HintName[] {
  const { request, reply, header, calledAt } = call;
  if (reply.statusCode !== 401 || request.call.fault !== null || header === undefined) return [];
  if (header.hint !== undefined) return [header.hint];
  const isLive = isTokenLive({
    claims: header.claims,
    now: calledAt,
    lifetimeSeconds: tokenLifetimeSeconds,
  });
  // The app is only known if the token was accepted except for its end.
  return [!isLive || request.call.packageName !== null ? 'tokenExpired' : 'tokenExpelled'];
}
