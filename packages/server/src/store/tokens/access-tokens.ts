// The claims of each app's newest access token, and the values against which the token endpoint checks a request.

import Type, { type Static } from 'typebox';
import type { TokenCut, TokenStamp } from '../../domain/tokens/access-token.ts';
import { ownName, sharedLookup } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { Bytes, NoRow, nullable, statement } from '../statements/statement.ts';

/** An app for getAccessToken: `generation` is the app's, `issued*` are the claims of its newest token. */
const TokenClient = Type.Object({
  packageName: Type.String(),
  clientId: Type.String(),
  appNumber: Type.Integer(),
  disabledAt: nullable(Type.Integer()),
  secretHash: Bytes,
  previousSecretHash: nullable(Bytes),
  previousSecretUntil: nullable(Type.Integer()),
  generation: Type.Integer(),
  issuedKeyId: nullable(Type.Integer()),
  issuedGeneration: nullable(Type.Integer()),
  issuedAtSeconds: nullable(Type.Integer()),
  /** The database's time, ms. */
  now: Type.Integer(),
});
export type TokenClient = Static<typeof TokenClient>;

// Served by the primary keys of both tables.
const selectTokenClients = statement({
  name: 'select_token_clients',
  text: `select a.package_name as "packageName", a.client_id as "clientId", a.app_number as "appNumber",
      a.disabled_at as "disabledAt", a.client_secret_hash as "secretHash",
      a.previous_client_secret_hash as "previousSecretHash",
      a.previous_client_secret_until as "previousSecretUntil", t.generation,
      t.issued_key_id as "issuedKeyId", t.issued_generation as "issuedGeneration",
      t.issued_at_seconds as "issuedAtSeconds", database_time() as now
    from app a join access_token t on t.package_name = a.package_name where t.package_name = any($1::text[])`,
  row: TokenClient,
});

const PackageNameByClient = Type.Object({ clientId: Type.String(), packageName: Type.String() });

// Served by app_client_id_key.
const selectPackageNamesByClient = statement({
  name: 'select_package_names_by_client',
  text: `select client_id as "clientId", package_name as "packageName" from app where client_id = any($1::text[])`,
  row: PackageNameByClient,
});

// Conditional on the values that the caller read, so that one of several concurrent requests succeeds.
// Served by the primary key.
const updateIssuedToken = statement({
  name: 'update_issued_token',
  text: `update access_token set issued_key_id = $2, issued_generation = $3, issued_at_seconds = $4
    where package_name = $1 and generation = $3
      and issued_key_id is not distinct from $5::smallint
      and issued_generation is not distinct from $6::integer
      and issued_at_seconds is not distinct from $7::bigint
    returning generation`,
  row: Type.Object({ generation: Type.Integer() }),
});

// A token has two bytes for its generation. Served by the primary key.
const raiseGeneration = statement({
  name: 'raise_generation',
  text: `update access_token set generation = generation + 1 where package_name = $1 and generation < 65535
    returning generation`,
  row: Type.Object({ generation: Type.Integer() }),
});

// Served by the primary key.
const selectNewestToken = statement({
  name: 'lock_newest_token',
  text: `select issued_key_id as "keyId", generation, issued_at_seconds as "issuedAtSeconds" from access_token
    where package_name = $1 and issued_generation = generation for no key update`,
  row: Type.Object({
    keyId: Type.Integer(),
    generation: Type.Integer(),
    issuedAtSeconds: Type.Integer(),
  }),
});

// Served by the primary key.
const updateTokenCut = statement({
  name: 'update_token_cut',
  text: 'update access_token set cut_issued_at_seconds = $2, cut_ends_at = $3 where package_name = $1',
  row: NoRow,
});

/** Reads an app for the token endpoint, uncached, sharing a statement with concurrent reads. */
export function tokenClientReader(
  database: Database,
): (packageName: string) => Promise<TokenClient | undefined> {
  const keyOf = ({ packageName }: TokenClient) => packageName;
  return sharedLookup(database, { sql: selectTokenClients, keyOf, packageNameOf: ownName });
}

/** Finds the package name of a client id, sharing a statement with concurrent calls. */
export function clientFinder(database: Database): (clientId: string) => Promise<string | undefined> {
  const find = sharedLookup(database, { sql: selectPackageNamesByClient, keyOf: ({ clientId }) => clientId });
  return async (clientId) => (await find(clientId))?.packageName;
}

/** Makes `token` the app's newest token; false if it has changed since `read`. */
export async function claimNewestToken(
  database: Database,
  read: TokenClient,
  token: TokenStamp,
): Promise<boolean> {
  const { packageName } = read;
  const values = [
    packageName,
    token.keyId,
    token.generation,
    token.issuedAtSeconds,
    read.issuedKeyId,
    read.issuedGeneration,
    read.issuedAtSeconds,
  ];
  const rows = await database.enqueue({ packageName }, () => database.rows(updateIssuedToken, values));
  return rows.length > 0;
}

/** Locks an app's newest token until the transaction ends; undefined if the app has none or it was expelled. */
export async function lockNewestToken(
  transaction: Queryable,
  packageName: string,
): Promise<TokenStamp | undefined> {
  return (await transaction.rows(selectNewestToken, [packageName]))[0];
}

/** Replaces the cut of an app whose newest token the transaction has locked. */
export async function cutTokens(
  transaction: Queryable,
  packageName: string,
  { issuedAtSeconds, endsAt }: TokenCut,
): Promise<void> {
  await transaction.rows(updateTokenCut, [packageName, issuedAtSeconds, endsAt]);
}

/** Expels every token issued so far and returns the app's new generation, or undefined if none is left. */
export async function expelTokens(transaction: Queryable, packageName: string): Promise<number | undefined> {
  return (await transaction.rows(raiseGeneration, [packageName]))[0]?.generation;
}
