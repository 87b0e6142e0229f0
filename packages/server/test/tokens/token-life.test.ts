// Access tokens across a rotation of the signing key. How they end otherwise is tested in attack/shared-tokens.test.ts.

import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  startTestServer,
  type TestServer,
  testNow,
  testTokenKeys,
} from '../../../../test/support/harness.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { obtainToken } from './token-call.ts';

/** The status of a read of an unknown purchase: 404 if the token is valid, otherwise 401. */
const statusOf = async (token: string, at: TestServer): Promise<number> =>
  (await callPurchaseApi(at, { token, path: '/details/none/com.example.game' })).status;

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
  expect((await obtainToken(rotated, client)).token).toBe(client.token);
  await clock.advance(3_000_001);
  const renewed = await obtainToken(rotated, client);
  expect(signedBy(renewed.token)).toBe(2);
  expect([await statusOf(client.token, rotated), await statusOf(renewed.token, rotated)]).toEqual([404, 404]);
  await rotated.stop();

  await using after = await start(2);
  expect([await statusOf(client.token, after), await statusOf(renewed.token, after)]).toEqual([401, 404]);
  expect((await obtainToken(after, client)).token).toBe(renewed.token);
});
