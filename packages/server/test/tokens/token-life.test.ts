// The lifetime of an access token: it is issued again, renewed, expires, or is expelled or disabled with its app, also across
// a rotation of the signing key.

import { beforeEach, describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  freshDatabase,
  operate,
  startTestServer,
  type TestApp,
  type TestServer,
  testNow,
  testTokenKeys,
  useTestServer,
} from '../harness.ts';
import { expectFailure } from '../purchase-api/purchase-call.ts';
import { TestClock } from '../test-clock.ts';
import { formOf, obtainToken, postForm, wrongClient } from './token-call.ts';

let app: TestApp;

let appCount = 0;

const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  appCount += 1;
  app = await createTestApp(server, `com.example.life${appCount}`);
});

const read = (at: TestServer, { packageName }: TestApp, token: string) =>
  callPurchaseApi(at, { token, path: `/details/none/${packageName}` });

/** Reads an unknown purchase, which gets 404 with a valid token and otherwise 401. */
async function expectGood(token: string, at = server, as = app): Promise<void> {
  expectFailure(await read(at, as, token), 'notFound');
}

async function expectRefused(token: string, at = server, as = app): Promise<void> {
  expectFailure(await read(at, as, token), 'unauthorized');
}

describe('a token', () => {
  test('an expelled token is rejected at once and never issued again', async () => {
    const expelled = await operate(server, 'POST', `/apps/${app.packageName}/expel-tokens`);
    expect(expelled.status).toBe(204);
    await expectRefused(app.token);
    const next = await obtainToken(server, app);
    expect(next).toEqual({ token: expect.not.stringMatching(app.token), expiresIn: 3600 });
    await expectGood(next.token);
    expect(await obtainToken(server, app)).toEqual(next);
    await expectRefused(app.token);
  });
});

describe('client secret rotation', () => {
  async function rotate(keepPreviousForSeconds: number, more: { readonly force?: true } = {}) {
    const path = `/apps/${app.packageName}/client-secret`;
    const rotated = await operate(server, 'POST', path, { body: { keepPreviousForSeconds, ...more } });
    expect(rotated.status).toBe(201);
    return { clientId: app.clientId, clientSecret: rotated.body.clientSecret as string };
  }

  test('the token issued for the old secret stays valid after the secret has ended', async () => {
    const rotated = await rotate(0);
    expectFailure(await postForm(server, formOf(app)), 'invalidTokenRequest', wrongClient);
    await expectGood(app.token);
    expect((await obtainToken(server, rotated)).token).toBe(app.token);
  });
});

describe('signing key rotation', () => {
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
});
