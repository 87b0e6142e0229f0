// One of several concurrent issuers of a token wins; the others have read an older newest token and claim nothing.

import { beforeEach, expect, test } from 'vitest';
import { newTestApp, useForFile, useTestServer } from '../../../../test/support/harness.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import {
  claimNewestToken,
  expelTokens,
  type TokenClient,
  tokenClientReader,
} from '../../src/store/tokens/access-tokens.ts';

let read: TokenClient;

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 2));
beforeEach(async () => {
  read = await readAgain((await newTestApp(server)).packageName);
});

async function readAgain(packageName = read.packageName): Promise<TokenClient> {
  const client = await tokenClientReader(database)(packageName);
  if (client === undefined) throw new Error('App not found.');
  return client;
}

const newest = ({ issuedKeyId: keyId, issuedGeneration, issuedAtSeconds }: TokenClient) => ({
  keyId,
  generation: issuedGeneration,
  issuedAtSeconds,
});

/** The newest token as read, with one field changed. */
const after = (change: { keyId?: number; issuedAtSeconds?: number }) => ({
  keyId: Number(read.issuedKeyId),
  generation: read.generation,
  issuedAtSeconds: Number(read.issuedAtSeconds),
  ...change,
});

test.each([
  ['token of another second', { issuedAtSeconds: 2_000_000_000 }],
  ['token of another key', { keyId: 7 }],
])('a claim after one %s fails and writes nothing', async (_what, change) => {
  const first = after(change);
  expect(await claimNewestToken(database, read, first)).toBe(true);
  expect(await claimNewestToken(database, read, after({ issuedAtSeconds: 2_000_000_005 }))).toBe(false);
  expect(newest(await readAgain())).toEqual(first);
});

test('a claim after a token of the same key and second but another generation fails and writes nothing', async () => {
  const { packageName } = read;
  await database.transaction({ packageName }, (transaction) => expelTokens(transaction, packageName));
  // This read has the new generation and the newest token of the old one.
  const between = await readAgain();
  const first = { ...after({}), generation: between.generation };
  expect(await claimNewestToken(database, between, first)).toBe(true);
  const second = { ...first, issuedAtSeconds: 2_000_000_005 };
  expect(await claimNewestToken(database, between, second)).toBe(false);
  expect(newest(await readAgain())).toEqual(first);
});

test('a token of an expired generation is not claimed', async () => {
  const { packageName } = read;
  const generation = await database.transaction({ packageName }, (transaction) =>
    expelTokens(transaction, packageName),
  );
  expect(generation).toBe(read.generation + 1);
  expect(await claimNewestToken(database, read, after({ issuedAtSeconds: 2_000_000_000 }))).toBe(false);
  expect(newest(await readAgain())).toEqual(newest(read));
});
