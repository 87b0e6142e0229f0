// The access token of a client: when it is requested, cached and replaced.

import { describe, expect, test } from 'vitest';
import { contractFetch } from '../../../test/support/contract-fetch.ts';
import { useForFile } from '../../../test/support/harness.ts';
import { errorOf, type StagedApp, startClientStage } from './client-stage.ts';
import { empty, heldResponse, refusal, scriptedClient, token } from './scripted-client.ts';

const stage = await useForFile(startClientStage());

const tokensOf = ({ called }: StagedApp) => called.filter((operation) => operation === 'token').length;
const list = ({ client }: StagedApp) => client.getVoidedPurchases();

describe('the token of a client', () => {
  test('concurrent calls share one token request, and later calls use the cached token', async () => {
    const app = await stage.createApp();
    await Promise.all(Array.from({ length: 20 }, () => list(app)));
    await list(app);
    expect(tokensOf(app)).toBe(1);
    expect(app.called).toHaveLength(22);
  });

  test('a token is cached while 600 seconds remain, and a new one is requested with less', async () => {
    const app = await stage.createApp();
    await list(app);
    await stage.server.clock.advance(3_000_000);
    await list(app);
    expect(tokensOf(app)).toBe(1);
    await stage.server.clock.advance(1);
    await Promise.all([list(app), list(app)]);
    expect(tokensOf(app)).toBe(2);
    await stage.server.clock.advance(3_000_000);
    await list(app);
    expect(tokensOf(app)).toBe(2);
  });

  test('a short-lived token is not requested again for each call', async () => {
    const fetch = async (url: string, init: RequestInit) => {
      const response = await contractFetch(url, init);
      if (!url.endsWith('/token')) return response;
      return Response.json({ ...((await response.json()) as object), expires_in: 300 });
    };
    const app = await stage.createApp({ fetch });
    await list(app);
    await stage.server.clock.advance(9_999);
    await list(app);
    expect(tokensOf(app)).toBe(1);
    await stage.server.clock.advance(1);
    await list(app);
    expect(tokensOf(app)).toBe(2);
  });

  test('a token that putToken has ended is replaced with one request, and the call succeeds', async () => {
    const app = await stage.createApp();
    await list(app);
    await app.sandbox.putToken({ expiresIn: 0 });
    app.called.length = 0;
    await list(app);
    expect(app.called).toEqual(['voided-purchases', 'token', 'voided-purchases']);
  });

  test('a call that is still rejected with a new token fails without another token request', async () => {
    const app = await stage.createApp();
    await list(app);
    await app.sandbox.putFaults({ faults: [{ operation: 'getVoidedPurchases', code: 401 }] });
    app.called.length = 0;
    const error = await errorOf(list(app));
    expect(error).toMatchObject({ operation: 'getVoidedPurchases', code: 401, httpStatus: 401 });
    expect(app.called).toEqual(['voided-purchases', 'token', 'voided-purchases']);
  });

  test('a valid token is used while the token endpoint fails', async () => {
    const app = await stage.createApp();
    await list(app);
    const held = (await app.client.getAccessToken()).access_token;
    await stage.server.clock.advance(3_300_000);
    await app.sandbox.putFaults({ faults: [{ operation: 'getAccessToken', httpStatus: 500 }] });
    app.called.length = 0;
    await list(app);
    await list(app);
    expect(app.called).toEqual(['token', 'token', 'token', 'voided-purchases', 'voided-purchases']);
    await app.sandbox.putFaults({ faults: [] });
    await stage.server.clock.advance(10_000);
    await list(app);
    expect((await app.client.getAccessToken()).access_token).not.toBe(held);
    expect(tokensOf(app)).toBe(5);
  });
});

test('each call with wrong credentials fails with the error of the token endpoint', async () => {
  const app = await stage.createApp({ clientSecret: 'not the secret' });
  const rejection = { operation: 'getAccessToken', code: 400, httpStatus: 400 };
  for (const _ of [1, 2]) expect(await errorOf(list(app))).toMatchObject(rejection);
  expect(app.called).toEqual(['token', 'token']);
});

test.each([{}, { access_token: 'a b', expires_in: 3600 }, { access_token: 'ab' }])(
  'a token response without a valid token is an error: %j',
  async (response) => {
    const app = await stage.createApp({ fetch: async () => Response.json(response) });
    const error = await errorOf(list(app));
    expect(error.message).toBe('getAccessToken: the response has no valid token');
  },
);

const unauthorized = refusal(401, 401);

test('an aborted call does not wait for the token', async () => {
  const scripted = scriptedClient();
  const held = heldResponse();
  scripted.responses = [held.response, empty];
  const controller = new AbortController();
  const aborted = scripted.client.getVoidedPurchases({}, { signal: controller.signal });
  const other = scripted.client.getVoidedPurchases();
  controller.abort(new Error('no time'));
  await expect(aborted).rejects.toThrow('no time');
  await held.give(token('one'));
  expect(await other).toEqual({ voidedPurchaseList: [] });
  expect(scripted.sent).toEqual(['token', 'Bearer one']);
});

test('a late rejection of the previous token does not discard the new one', async () => {
  const scripted = scriptedClient();
  const held = heldResponse();
  scripted.responses = [token('one'), empty];
  await scripted.client.getVoidedPurchases();
  scripted.responses = [held.response, unauthorized, token('two'), empty, empty];
  const late = scripted.client.getVoidedPurchases();
  await scripted.client.getVoidedPurchases();
  await held.give(unauthorized);
  await late;
  const [, , ...sent] = scripted.sent;
  expect(sent).toEqual(['Bearer one', 'Bearer one', 'token', 'Bearer two', 'Bearer two']);
});

test('an expired token is not used, however recently it was requested', async () => {
  const scripted = scriptedClient();
  scripted.responses = [token('short', 5), empty, empty, token('next'), empty];
  await scripted.client.getVoidedPurchases();
  scripted.now += 4_999;
  await scripted.client.getVoidedPurchases();
  scripted.now += 1;
  await scripted.client.getVoidedPurchases();
  expect(scripted.sent).toEqual(['token', 'Bearer short', 'Bearer short', 'token', 'Bearer next']);
});
