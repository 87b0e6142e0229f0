// Identifies callers by the Authorization header: the app of an access token (docs/decisions/access-tokens.md), or the
// operator of a key (docs/decisions/operator-keys.md).

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';
import { LRUCache } from 'lru-cache';
import type { PackageName } from '../domain/identifiers.ts';
import { isTokenLive, type TokenClaims, verifyAccessToken } from '../domain/tokens/access-token.ts';
import type { TokenSettings } from '../operations/tokens/getAccessToken.ts';
import type { AppDirectory } from '../store/apps/app-directory.ts';
import type { AppState } from '../store/apps/apps.ts';

/** The app of a valid access token. */
export interface Caller {
  readonly packageName: PackageName;
  readonly claims: TokenClaims;
}

type Authenticated = Caller | undefined;

export interface Authentication {
  /** Synchronous if the cached state of the app accepts the token; a rejection is always checked in the database. */
  check(authorization: string | undefined, now: number): Authenticated | Promise<Authenticated>;
}

/** The specification requires this spelling, with exactly one space before the token. */
const scheme = 'Bearer ';

/** The most recent tokens whose MAC was verified: about 300 bytes each. */
const verifiedTokensMax = 10_000;

export function tokenAuthentication(settings: TokenSettings, directory: AppDirectory): Authentication {
  const { scope, lifetimeSeconds } = settings;
  const verified = new LRUCache<string, TokenClaims>({ max: verifiedTokensMax });
  let verifiedBy = settings.keys();

  const verify = (token: string): TokenClaims | undefined => {
    const keys = settings.keys();
    if (keys !== verifiedBy) verified.clear();
    verifiedBy = keys;
    const known = verified.peek(token);
    if (known !== undefined) return known;
    const claims = verifyAccessToken(token, keys, scope);
    if (claims !== undefined) verified.set(token, claims);
    return claims;
  };
  const checkDatabase = async (claims: TokenClaims): Promise<Authenticated> => {
    const state = await directory.read(claims.appNumber);
    return state !== undefined && acceptsToken(state, claims) ? callerOf(state, claims) : undefined;
  };
  return {
    check(authorization, now) {
      if (authorization === undefined || !authorization.startsWith(scheme)) return undefined;
      const claims = verify(authorization.slice(scheme.length));
      if (claims === undefined || !isTokenLive({ claims, now, lifetimeSeconds })) return undefined;
      const state = directory.findCached(claims.appNumber);
      if (state !== undefined && acceptsToken(state, claims)) return callerOf(state, claims);
      return checkDatabase(claims);
    },
  };
}

function callerOf(state: AppState, claims: TokenClaims): Caller {
  return { packageName: state.packageName as PackageName, claims };
}

function acceptsToken(state: AppState, claims: TokenClaims): boolean {
  return state.disabledAt === null && state.generation === claims.generation;
}

export interface OperatorIdentity {
  readonly name: string;
  readonly role: Role;
}

/** Compares every key in constant time, so that the time of a response says nothing about the keys. */
export function operatorAuthentication(
  keys: readonly (OperatorIdentity & { readonly key: string })[],
): (authorization: string | undefined) => OperatorIdentity | undefined {
  const known = keys.map(({ name, role, key }) => ({ identity: { name, role }, hash: hashOf(key) }));
  return (authorization) => {
    if (authorization === undefined || !authorization.startsWith(scheme)) return undefined;
    const hash = hashOf(authorization.slice(scheme.length));
    let found: OperatorIdentity | undefined;
    for (const candidate of known) {
      if (timingSafeEqual(hash, candidate.hash)) found = candidate.identity;
    }
    return found;
  };
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
