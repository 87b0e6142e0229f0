// Access tokens across a rotation of the signing key. How they end otherwise is tested in attack/shared-tokens.test.ts.

import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  startTestServer,
  type TestApp,
  type TestServer,
  testNow,
  testTokenKeys,
} from '../harness.ts';
import { expectFailure } from '../purchase-api/purchase-call.ts';
import { TestClock } from '../test-clock.ts';
import { obtainToken } from './token-call.ts';

const read = (at: TestServer, { packageName }: TestApp, token: string) =>
  callPurchaseApi(at, { token, path: `/details/none/${packageName}` });

/** Reads an unknown purchase, which gets 404 with a valid token and otherwise 401. */
async function expectGood(token: string, at: TestServer, as: TestApp): Promise<void> {
  expectFailure(await read(at, as, token), 'notFound');
}

async function expectRefused(token: string, at: TestServer, as: TestApp): Promise<void> {
  expectFailure(await read(at, as, token), 'unauthorized');
}

const keyText = (id: number) => `${id}:${Buffer.alloc(32, id).toString('base64url')}`;
const signedBy = (token: string) => Buffer.from(token, 'base64url').readUInt8(0);

test('old tokens stay valid next to a new signing key and are rejected once theirs is removed', async () => {
  await using database = await freshDatabase();
  const clock = new TestClock(testNow);
  const start = (...ids: number[]) =>
    startTestServer({ database, clock, tokenKeys: testTokenKeys(ids.map(keyText).join(',')) });
  const before = await start(1);
  const client = await createTestApp(before);
  await before.stop();
  expect(signedBy(client.token)).toBe(1);

  const rotated = await start(2, 1);
  await expectGood(client.token, rotated, client);
  expect((await obtainToken(rotated, client)).token).toBe(client.token);
  await clock.advance(3_000_001);
  const renewed = await obtainToken(rotated, client);
  expect(signedBy(renewed.token)).toBe(2);
  await expectGood(client.token, rotated, client);
  await expectGood(renewed.token, rotated, client);
  await rotated.stop();

  await using after = await start(2);
  await expectRefused(client.token, after, client);
  await expectGood(renewed.token, after, client);
  expect((await obtainToken(after, client)).token).toBe(renewed.token);
});
