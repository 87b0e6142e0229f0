// Of several that issue a token at once, one wins: whoever read an older newest token claims nothing.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/store/connection/database.ts';
import {
  claimNewestToken,
  expelTokens,
  type TokenClient,
  tokenClientReader,
} from '../../src/store/tokens/access-tokens.ts';
import { createTestApp, startTestServer, type TestServer } from '../harness.ts';
import { openDatabase } from './open-database.ts';

let server: TestServer;
let database: Database;
let read: TokenClient;
let apps = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = openDatabase(server.connection, 2);
});
beforeEach(async () => {
  apps += 1;
  const { packageName } = await createTestApp(server, `com.example.app${apps}`);
  read = await readAgain(packageName);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await server.stop();
});

async function readAgain(packageName = read.packageName): Promise<TokenClient> {
  const client = await tokenClientReader(database)(packageName);
  if (client === undefined) throw new Error('There is no such app.');
  return client;
}

const newest = ({ issuedKeyId: keyId, issuedGeneration, issuedAtSeconds }: TokenClient) => ({
  keyId,
  generation: issuedGeneration,
  issuedAtSeconds,
});

/** The newest token as it was read, with one thing about it changed. */
const after = (change: { keyId?: number; issuedAtSeconds?: number }) => ({
  keyId: change.keyId ?? Number(read.issuedKeyId),
  generation: read.generation,
  issuedAtSeconds: change.issuedAtSeconds ?? Number(read.issuedAtSeconds),
});

test.each([
  ['of another second', { issuedAtSeconds: 2_000_000_000 }],
  ['of another key', { keyId: 7 }],
])('a claim after one %s fails and writes nothing', async (_what, change) => {
  const first = after(change);
  expect(await claimNewestToken(database, read, first)).toBe(true);
  expect(await claimNewestToken(database, read, after({ issuedAtSeconds: 2_000_000_005 }))).toBe(false);
  expect(newest(await readAgain())).toEqual(first);
});

test('a claim after a token of the same key and second but another generation fails and writes nothing', async () => {
  const { packageName } = read;
  await database.transaction({ packageName, record: 'expel' }, (transaction) =>
    expelTokens(transaction, packageName),
  );
  // It has read the new generation, but the newest token of the old one.
  const between = await readAgain();
  const first = { ...after({}), generation: between.generation };
  expect(await claimNewestToken(database, between, first)).toBe(true);
  const second = { ...first, issuedAtSeconds: 2_000_000_005 };
  expect(await claimNewestToken(database, between, second)).toBe(false);
  expect(newest(await readAgain())).toEqual(first);
});

test('a token of an expired generation is not claimed', async () => {
  const { packageName } = read;
  const generation = await database.transaction({ packageName, record: 'expel' }, (transaction) =>
    expelTokens(transaction, packageName),
  );
  expect(generation).toBe(read.generation + 1);
  expect(await claimNewestToken(database, read, after({ issuedAtSeconds: 2_000_000_000 }))).toBe(false);
  expect(newest(await readAgain())).toEqual(newest(read));
});
