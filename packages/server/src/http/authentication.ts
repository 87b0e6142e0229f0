// From the Authorization header to the app that a token was issued for (the specification, "Authentication";
// docs/decisions/access-tokens.md). A token that is form and MAC alone costs no database; a refusal that rests on what this process
// remembers of an app is settled against the database first.

import { LRUCache } from 'lru-cache';
import type { PackageName } from '../domain/identifiers.ts';
import { isTokenLive, type TokenClaims, verifyAccessToken } from '../domain/tokens/access-token.ts';
import type { TokenSettings } from '../operations/tokens/getAccessToken.ts';
import type { AppDirectory } from '../store/apps/app-directory.ts';
import type { AppState } from '../store/apps/apps.ts';

/** The app of a good token, and what the token says. */
export interface Caller {
  readonly packageName: PackageName;
  readonly claims: TokenClaims;
}

export type Authenticated = Caller | undefined;

export interface Authentication {
  /** At once when this process knows the app, else when the database has answered. */
  check(authorization: string | undefined, now: number): Authenticated | Promise<Authenticated>;
}

/** `Bearer`, one space, the token, and nothing else: the scheme as the specification writes it. */
const scheme = 'Bearer ';

/** Tokens whose MAC has been verified, the latest ones: about 300 bytes each. A verified MAC stays so. */
const verifiedTokensMax = 10_000;

export function tokenAuthentication(settings: TokenSettings, directory: AppDirectory): Authentication {
  const { keys, scope, lifetimeSeconds } = settings;
  const verified = new LRUCache<string, TokenClaims>({ max: verifiedTokensMax });

  const verify = (token: string): TokenClaims | undefined => {
    const known = verified.peek(token);
    if (known !== undefined) return known;
    const claims = verifyAccessToken(token, keys, scope);
    if (claims !== undefined) verified.set(token, claims);
    return claims;
  };
  const settle = async (claims: TokenClaims): Promise<Authenticated> => {
    const state = await directory.read(claims.appNumber);
    return state !== undefined && isOf(state, claims) ? callerOf(state, claims) : undefined;
  };
  return {
    check(authorization, now) {
      if (authorization === undefined || !authorization.startsWith(scheme)) return undefined;
      const claims = verify(authorization.slice(scheme.length));
      if (claims === undefined || !isTokenLive({ claims, now, lifetimeSeconds })) return undefined;
      const state = directory.recall(claims.appNumber);
      if (state !== undefined && isOf(state, claims)) return callerOf(state, claims);
      return settle(claims);
    },
  };
}

function callerOf(state: AppState, claims: TokenClaims): Caller {
  return { packageName: state.packageName as PackageName, claims };
}

function isOf(state: AppState, claims: TokenClaims): boolean {
  return state.disabledAt === null && state.generation === claims.generation;
}
