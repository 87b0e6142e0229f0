// Issues an OAuth access token, or returns the newest one again while it stays valid for long enough (the specification,
// "Authentication"; docs/decisions/access.md).

import { ClientId } from '@opentill/contract/fields.ts';
import type { AccessTokenResponse } from '@opentill/contract/resources.ts';
import { LRUCache } from 'lru-cache';
import { Compile } from 'typebox/compile';
import {
  decideToken,
  encodeAccessToken,
  type TokenCut,
  type TokenKeys,
  type TokenScope,
  type TokenStamp,
} from '../../domain/tokens/access-token.ts';
import { isClientSecret, isNewestClientSecret, type SentSecret } from '../../domain/tokens/client-secret.ts';
import type { Database } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import {
  claimNewestToken,
  clientFinder,
  type TokenClient,
  tokenClientReader,
} from '../../store/tokens/access-tokens.ts';

export interface TokenSettings {
  readonly keys: TokenKeys;
  readonly scope: TokenScope;
}

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface TokenIssuer {
  /** The package name of the app with a client id, remembered. */
  findPackageName(clientId: string): Promise<string | undefined>;
  /** Returns undefined for an unknown or disabled client or a wrong secret. */
  findClient(credentials: ClientCredentials): Promise<TokenClient | undefined>;
  /** Compares a secret with those of an app; an ended one is wrong, as is any of a disabled app. */
  rateClientSecret(packageName: string, clientSecret: string): Promise<SentSecret['rating']>;
  /** Returns undefined if the credentials have become invalid since the client was found. */
  issue(
    client: TokenClient,
    request: ClientCredentials & {
      /** Sandbox only. */
      readonly cut?: TokenCut | undefined;
    },
  ): Promise<AccessTokenResponse | undefined>;
}

/** A lost race means that another request has just issued a token, which the next read finds. */
const attemptsMax = 5;

/** The package of a client never changes; a cached one saves a query and is checked with each read. */
const cachedClientsMax = 10_000;

/** Other client ids are not looked up, because PostgreSQL rejects the whole statement for a NUL character. */
const clientIdForm = Compile(ClientId);

function clientResolver(database: Database): TokenIssuer['findPackageName'] {
  const findPackageName = clientFinder(database);
  const packageNames = new LRUCache<string, string>({ max: cachedClientsMax });
  return async (clientId) => {
    if (!clientIdForm.Check(clientId)) return undefined;
    const packageName = packageNames.get(clientId) ?? (await findPackageName(clientId));
    if (packageName !== undefined) packageNames.set(clientId, packageName);
    return packageName;
  };
}

export function getAccessToken({
  store: { database },
  tokenSettings: settings,
}: {
  readonly store: Store;
  readonly tokenSettings: TokenSettings;
}): TokenIssuer {
  const findPackageName = clientResolver(database);
  const readClient = tokenClientReader(database);

  const findClient: TokenIssuer['findClient'] = async ({ clientId, clientSecret }) => {
    const packageName = await findPackageName(clientId);
    const client = packageName === undefined ? undefined : await readClient(packageName);
    if (client?.clientId !== clientId || client.disabledAt !== null) return undefined;
    return hasSecret(client, clientSecret) ? client : undefined;
  };

  return {
    findPackageName,
    findClient,
    async rateClientSecret(packageName, clientSecret) {
      const client = await readClient(packageName);
      if (client?.disabledAt !== null || !hasSecret(client, clientSecret)) return 'wrong';
      return isNewestClientSecret(clientSecret, client.secretHash) ? 'newest' : 'previous';
    },
    async issue(found, request) {
      let client: TokenClient | undefined = found;
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        if (client === undefined) return undefined;
        const { keys, scope } = settings;
        const decision = decideToken({
          newest: newestOf(client),
          generation: client.generation,
          now: client.now,
          signingKeyId: keys.signing.id,
          knownKeyIds: keys.byId,
          cut: request.cut,
        });
        const signing = { keys, scope, expiresIn: decision.expiresIn };
        if ('reuse' in decision) return respondWith(client, decision.reuse, signing);
        if (await claimNewestToken(database, client, decision.issue)) {
          return respondWith(client, decision.issue, signing);
        }
        client = await findClient(request);
      }
      throw new Error(`The newest token of an app changed ${attemptsMax} times while it was read.`);
    },
  };
}

function hasSecret(client: TokenClient, clientSecret: string): boolean {
  const candidates = [{ hash: client.secretHash, validUntil: null as number | null }];
  if (client.previousSecretHash !== null) {
    candidates.push({ hash: client.previousSecretHash, validUntil: client.previousSecretUntil });
  }
  return isClientSecret(clientSecret, candidates, client.now);
}

function newestOf(client: TokenClient): TokenStamp | undefined {
  const { issuedKeyId, issuedGeneration, issuedAtSeconds } = client;
  if (issuedKeyId === null || issuedGeneration === null || issuedAtSeconds === null) return undefined;
  return { keyId: issuedKeyId, generation: issuedGeneration, issuedAtSeconds };
}

function respondWith(
  client: TokenClient,
  stamp: TokenStamp,
  {
    keys,
    scope,
    expiresIn,
  }: { readonly keys: TokenKeys; readonly scope: TokenScope; readonly expiresIn: number },
): AccessTokenResponse {
  return {
    status: 'SUCCESS',
    client_id: client.clientId,
    access_token: encodeAccessToken({ ...stamp, appNumber: client.appNumber }, keys, scope),
    token_type: 'bearer',
    expires_in: expiresIn,
    scope: 'DEFAULT',
  };
}
