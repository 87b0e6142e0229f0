// The authentication of all calls with an access token: those of the purchase, events and developer APIs
// (docs/decisions/access.md).

import type { onRequestAsyncHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { appAuthor } from '../domain/author.ts';
import type { PackageName } from '../domain/identifiers.ts';
import { isTokenLive, type TokenClaims, verifyAccessToken } from '../domain/tokens/access-token.ts';
import type { TokenSettings } from '../operations/tokens/getAccessToken.ts';
import type { AppState } from '../store/apps/apps.ts';
import type { Store } from '../store/store.ts';
import { type ErrorForm, sendUnauthorized } from './error-response.ts';
import type { CallTesting } from './sandbox/call-testing.ts';

/** The app of a valid access token. */
interface Caller {
  readonly packageName: PackageName;
  readonly claims: TokenClaims;
}

export interface Authentication {
  /**
   * Reads nothing if the cached state of the app accepts the token, or if it is none of this store. Any other rejection is
   * checked in the database: the state of the app, and the time of a token that seems to be expired.
   */
  check(authorization: string | undefined): Promise<Caller | undefined>;
}

/** The specification requires this spelling, with exactly one space before the token. */
export const scheme = 'Bearer ';

/** The most recent tokens whose MAC was verified: about 300 bytes each. */
const verifiedTokensMax = 10_000;

export function tokenAuthentication(
  settings: TokenSettings,
  { apps: directory, clock, database }: Store,
): Authentication {
  const { keys, scope } = settings;
  const verified = new LRUCache<string, TokenClaims>({ max: verifiedTokensMax });

  const verify = (token: string): TokenClaims | undefined => {
    const known = verified.peek(token);
    if (known !== undefined) return known;
    const claims = verifyAccessToken(token, keys, scope);
    if (claims !== undefined) verified.set(token, claims);
    return claims;
  };
  const checkDatabase = async (claims: TokenClaims): Promise<Caller | undefined> => {
    const state = await directory.read(claims.appNumber);
    return state !== undefined && acceptsToken(state, claims) ? callerOf(state, claims) : undefined;
  };
  const isLive = (claims: TokenClaims) => isTokenLive({ claims, now: clock.now() });
  // This server's clock may have been set since it was last compared with the database's.
  const checkTime = async (claims: TokenClaims): Promise<Caller | undefined> => {
    await clock.measure(database);
    return isLive(claims) ? checkDatabase(claims) : undefined;
  };
  return {
    async check(authorization) {
      if (authorization === undefined || !authorization.startsWith(scheme)) return undefined;
      const claims = verify(authorization.slice(scheme.length));
      if (claims === undefined) return undefined;
      if (!isLive(claims)) return checkTime(claims);
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

export interface AppCalls {
  readonly authentication: Authentication;
  /** undefined in production. */
  readonly testing: CallTesting | undefined;
}

/** Sets the app of the token as the app of the call, or sends 401. */
export function authenticateApp(form: ErrorForm, authentication: Authentication): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const caller = await authentication.check(request.headers.authorization);
    if (caller === undefined) return sendUnauthorized(reply, form);
    request.call.packageName = caller.packageName;
    request.call.madeBy = appAuthor;
    request.call.tokenClaims = caller.claims;
    return undefined;
  };
}
