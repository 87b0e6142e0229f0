// Tokens that putToken has cut short, in the sandbox only: one row for each app that has any.

import Type from 'typebox';
import type { TokenStamp } from '../domain/access-token.ts';
import type { ShortenedTokens } from '../domain/shortened-token.ts';
import type { Queryable } from './database.ts';
import { NoRow, nullable, statement } from './statement.ts';

// Served by the primary key; held, so that no other token becomes the newest meanwhile.
const lockNewestToken = statement({
  name: 'lock_newest_token',
  text: `select generation, issued_key_id as "keyId", issued_generation as "issuedGeneration",
      issued_at_seconds as "issuedAtSeconds"
    from access_token where package_name = $1 for no key update`,
  row: Type.Object({
    generation: Type.Integer(),
    keyId: nullable(Type.Integer()),
    issuedGeneration: nullable(Type.Integer()),
    issuedAtSeconds: nullable(Type.Integer()),
  }),
});

const upsertShortenedTokens = statement({
  name: 'upsert_shortened_tokens',
  text: `insert into shortened_token (package_name, generation, ended_until_seconds, cuts)
    values ($1, $2, $3, $4)
    on conflict (package_name) do update set generation = excluded.generation,
      ended_until_seconds = excluded.ended_until_seconds, cuts = excluded.cuts`,
  row: NoRow,
});

/**
 * Holds an app's newest token until the transaction ends; undefined when it has none, or that one was
 * expelled.
 */
export async function holdNewestToken(
  transaction: Queryable,
  packageName: string,
): Promise<TokenStamp | undefined> {
  const [row] = await transaction.rows(lockNewestToken, [packageName]);
  if (row === undefined || row.keyId === null || row.issuedAtSeconds === null) return undefined;
  const { keyId, generation, issuedGeneration, issuedAtSeconds } = row;
  return issuedGeneration === generation ? { keyId, generation, issuedAtSeconds } : undefined;
}

/** Writes the list of an app whose newest token the transaction holds. */
export async function putShortenedTokens(
  transaction: Queryable,
  packageName: string,
  shortened: ShortenedTokens,
): Promise<void> {
  const { generation, endedUntilSeconds, cuts } = shortened;
  await transaction.rows(upsertShortenedTokens, [
    packageName,
    generation,
    endedUntilSeconds,
    JSON.stringify(cuts),
  ]);
}
